import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The text that a program with parts of other packages comes with: the name, version and license of each. */
export function thirdPartyLicenses(inputs: Iterable<string>): string {
  const folders = new Set([...inputs].flatMap((path) => packageFolder(path) ?? []));
  const texts = [...folders].map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
      readonly name: string;
      readonly version: string;
      readonly license: string;
    };
    const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
    const text = file === undefined ? `License: ${license}` : readFileSync(join(folder, file), "utf8").trim();
    return { name, text: `${name} ${version}\n\n${text}\n` };
  });
  return texts
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ text }) => text)
    .join(`\n${"-".repeat(80)}\n\n`);
}

/** The folder of the installed package a file belongs to; undefined for files of this repository. */
function packageFolder(path: string): string | undefined {
  if (!path.includes("node_modules/")) return undefined;
  for (let folder = dirname(path); folder.includes("node_modules/"); folder = dirname(folder))
    if (
      existsSync(join(folder, "package.json")) &&
      "name" in JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
    )
      return folder;
  return undefined;
}
