import { wordSet } from "../word-table.ts";

const VALUED = wordSet(
  "-e --env -v --volume -w --workdir -u --user --name -p --publish --network --net --entrypoint --mount --env-file " +
    "--platform -f --file --project-name --project-directory --profile -m --memory --cpus -n --namespace -c " +
    "--container --context",
);

/**
 * The command inside `docker exec box cmd`, `docker run image cmd`, `docker compose exec service cmd`, `kubectl exec
 * pod -- cmd`.
 */
export function unwrapContainer(words: readonly string[]): readonly string[] | undefined {
  const plain: string[] = [];
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (word === "--") return plain.includes("exec") || plain.includes("run") ? words.slice(at + 1) : undefined;
    if (VALUED.has(word)) at += 1;
    else if (!word.startsWith("-")) {
      plain.push(word);
      const verb = plain[0] === "compose" ? 1 : 0;
      if ((plain[verb] === "exec" || plain[verb] === "run") && plain.length === verb + 3) return words.slice(at);
    }
  }
  return undefined;
}
