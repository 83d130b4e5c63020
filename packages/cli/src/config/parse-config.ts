import { type Document, isScalar, parseDocument } from "yaml";
import { z } from "zod";
import { badConfig } from "../errors.ts";
import type { DeclarativeConfig } from "./define-config.ts";
import { gateNames } from "./gate-names.ts";

const path = z.string().min(1).max(4096);
const count = z.number().int().min(0);

/** Every key of a config that is data. `run` and `worker` hold functions, and are for configs that are code. */
const configSchema = z.strictObject({
  runs: path.optional(),
  logs: z.array(path).max(1000).optional(),
  contracts: path.optional(),
  policy: path.optional(),
  check: z
    .strictObject({
      without: z.array(z.string()).max(100).optional(),
      evidence: z.enum(["proven", "supported", "weak"]).optional(),
      maxTurns: count.optional(),
      maxTokens: count.optional(),
      maxWastedCalls: count.optional(),
    })
    .optional(),
  mode: z.enum(["observe", "nudge", "gate"]).optional(),
  gates: z.array(z.enum(gateNames)).max(100).optional(),
  database: z.string().min(1).max(4096).optional(),
}) satisfies z.ZodType<DeclarativeConfig>;

const dataKeys: readonly string[] = Object.keys(configSchema.shape);
const CODE_KEYS: readonly string[] = ["run", "worker"];
/** The YAML parser takes more than linear time for hostile text, so it gets little of it. */
const MAX_LENGTH = 10_000;
/** An explicit key: nested ones take the YAML parser exponential time, and no config needs one. */
const EXPLICIT_KEY = /(?:^|[\s,[{:-])\?(?:\s|$)/;

/**
 * Reads a config in JSON, JSON with comments or YAML, by the ending of its name. Nothing in it is run.
 * @throws BAD_CONFIG with the line and the key
 */
export function parseConfig(text: string, file: string): DeclarativeConfig {
  if (text.length > MAX_LENGTH) throw badConfig(file, `it has more than ${String(MAX_LENGTH)} characters`);
  const source = text.replace(/^\uFEFF/, "");
  const isJson = /\.jsonc?$/.test(file);
  // Comments become blanks, so that every place stays where it was.
  const plain = file.endsWith(".jsonc") ? withoutComments(source) : source;
  const where = (offset: number): string => {
    const before = plain.slice(0, offset).split("\n");
    return `line ${String(before.length)}, column ${String((before.at(-1)?.length ?? 0) + 1)}: `;
  };
  const explicit = isJson ? null : EXPLICIT_KEY.exec(plain);
  if (explicit !== null) throw badConfig(file, `${where(explicit.index)}explicit keys ("? ") are not read`);
  // JSON is YAML, too: of a mistake in it, this says where.
  const parse = (): Document => parseDocument(plain, { uniqueKeys: !isJson });
  const value = isJson ? parseJson(plain, { file, where }) : parseYaml();

  function parseYaml(): unknown {
    const document = parse();
    const [error] = document.errors;
    if (error !== undefined)
      throw badConfig(file, `${where(error.pos[0])}${error.message.split("\n", 1)[0] ?? ""}`, error);
    try {
      // An empty file is an empty config. Aliases are limited by the parser.
      return (document.toJS({ maxAliasCount: 100 }) as unknown) ?? {};
    } catch (error) {
      throw badConfig(file, error instanceof Error ? error.message : String(error), error);
    }
  }

  const checked = configSchema.safeParse(value);
  if (checked.success) return checked.data;
  const document = parse();
  const problems = checked.error.issues.slice(0, 5).flatMap((issue) => {
    const at = issue.path.map(String);
    if (issue.code !== "unrecognized_keys") return [`${placeOf(at)}"${at.join(".") || "."}": ${issue.message}`];
    return issue.keys.map((key) => `${placeOf([...at, key])}${unknownKey([...at, key])}`);
  });
  throw badConfig(file, problems.join("; "));

  function placeOf(at: readonly string[]): string {
    for (let length = at.length; length > 0; length -= 1) {
      const offset = offsetIn(document, at.slice(0, length));
      if (offset !== undefined) return where(offset);
    }
    return "";
  }
}

function unknownKey(at: readonly string[]): string {
  const [key = "", ...rest] = at;
  if (rest.length > 0) return `unknown key "${at.join(".")}"`;
  return CODE_KEYS.includes(key)
    ? `"${key}" needs a code config, such as phasekit.config.ts; to use a policy file here, set "policy"`
    : `unknown key "${key}"; known keys: ${dataKeys.join(", ")}`;
}

/** Returns the offset of a key in the document. */
function offsetIn(document: Document, at: readonly string[]): number | undefined {
  const parent: unknown = at.length === 1 ? document.contents : document.getIn(at.slice(0, -1), true);
  const items = (parent as { readonly items?: readonly unknown[] } | null | undefined)?.items ?? [];
  for (const [index, item] of items.entries()) {
    const { key, range } = item as { readonly key?: unknown; readonly range?: readonly number[] };
    if (isScalar(key) && String(key.value) === at.at(-1)) return key.range?.[0];
    if (key === undefined && String(index) === at.at(-1)) return range?.[0];
  }
  return undefined;
}

function parseJson(
  text: string,
  { file, where }: { readonly file: string; readonly where: (offset: number) => string },
): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const offset = /position (\d+)/.exec(message)?.[1];
    throw badConfig(
      file,
      `${offset === undefined ? "" : where(Number(offset))}${message.split("\n", 1)[0] ?? ""}`,
      error,
    );
  }
}

/** Blanks out comments and trailing commas outside of strings. */
function withoutComments(text: string): string {
  const blank = (part: string): string => part.replace(/[^\n]/g, " ");
  return text
    .replace(/"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*(?:[^]*?\*\/|[^]*)/g, (part) =>
      part.startsWith('"') ? part : blank(part),
    )
    .replace(/"(?:[^"\\\n]|\\.)*"|,(?=\s*[}\]])/g, (part) => (part.startsWith('"') ? part : " "));
}
