/** Why a path is refused: a class for programs, a text for people. */
export interface PathProblem {
  readonly reason: "empty" | "too-long" | "characters" | "absolute" | "escapes-root" | "device-name" | "protected" | "not-allowed";
  readonly detail: string;
}

const MAX_PATH = 1024;
const MAX_SEGMENT = 200;
const MAX_DEPTH = 32;

// Control characters, marks that reorder or hide text, and halves of surrogate pairs.
// eslint-disable-next-line no-control-regex -- finding control characters is the point
const HIDDEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i;

/**
 * What is wrong with a path that somebody else wrote; `undefined` when it is a plain relative path that means the same
 * on every platform. Nothing is decoded: `%2e` stands for itself.
 */
export function pathProblem(path: string): PathProblem | undefined {
  if (path === "") return { reason: "empty", detail: "the path is empty" };
  if (path.length > MAX_PATH) return { reason: "too-long", detail: `the path is longer than ${MAX_PATH} characters` };
  if (HIDDEN.test(path)) return { reason: "characters", detail: "the path has control or invisible characters" };
  if (path.includes("\\")) return { reason: "characters", detail: "the path has a backslash; write /" };
  if (path.startsWith("/") || path.startsWith("~")) return { reason: "absolute", detail: "the path is not relative to the root" };
  // A drive (C:x) and an alternate stream (file.md:stream) both need a colon; the others are wild on Windows.
  if (/[:*?"<>|]/.test(path)) return { reason: "characters", detail: 'the path has one of : * ? " < > |' };
  const segments = path.split("/");
  if (segments.length > MAX_DEPTH) return { reason: "too-long", detail: `the path is deeper than ${MAX_DEPTH} folders` };
  for (const segment of segments) {
    if (segment === "..") return { reason: "escapes-root", detail: "the path goes up with .." };
    if (segment === "" || segment === ".") return { reason: "characters", detail: "the path has an empty part or a single dot" };
    if (segment.length > MAX_SEGMENT) return { reason: "too-long", detail: `a part of the path is longer than ${MAX_SEGMENT} characters` };
    if (/[. ]$|^ /.test(segment)) return { reason: "characters", detail: "a part of the path ends with a dot or a space, or begins with a space" };
    if (DEVICE.test(segment)) return { reason: "device-name", detail: `"${segment}" is the name of a device on Windows` };
  }
  return undefined;
}

// Places where a file is run, read by tools, or trusted. Any other part that begins with a dot is protected too.
const PROTECTED = new Set(["node_modules", "hooks", "jenkinsfile", "makefile", "package.json", "package-lock.json", "pnpm-lock.yaml", "yarn.lock", "dockerfile", "agents.md", "claude.md"]);

/**
 * What is wrong with a place to promote an artifact to. Allowed are the folders and files the contract
 * names; a protected place only when an entry names that very part.
 */
export function promotionProblem(path: string, allowed: readonly string[]): PathProblem | undefined {
  const problem = pathProblem(path);
  if (problem !== undefined) return problem;
  const match = allowed.find((entry) => isInside(path, entry));
  if (match === undefined) {
    const places = allowed.length === 0 ? "this contract allows no promotion" : `allowed: ${allowed.join(", ")}`;
    return { reason: "not-allowed", detail: `the path is in no place the contract allows (${places})` };
  }
  const named = new Set(match.toLowerCase().split("/"));
  const bad = path.split("/").find((segment) => isProtected(segment) && !named.has(segment.toLowerCase()));
  return bad === undefined ? undefined : { reason: "protected", detail: `"${bad}" is a protected place` };
}

function isProtected(segment: string): boolean {
  return segment.startsWith(".") || PROTECTED.has(segment.toLowerCase());
}

function isInside(path: string, entry: string): boolean {
  return path.startsWith(`${entry}/`) || path === entry;
}
