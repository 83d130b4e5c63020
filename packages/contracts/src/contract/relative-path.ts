/** Why a path is refused: a code for programs, a text for people. */
export interface PathProblem {
  readonly reason:
    "empty" | "too-long" | "characters" | "absolute" | "escapes-root" | "device-name" | "protected" | "not-allowed";
  readonly detail: string;
}

const MAX_PATH = 1024;
const MAX_SEGMENT = 200;
const MAX_DEPTH = 32;

// Control characters, marks that reorder or hide text, and halves of surrogate pairs.
const CONTROL = String.raw`\u0000-\u001f\u007f-\u009f`;
const INVISIBLE = String.raw`[${CONTROL}\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]`;
const LONE_SURROGATE = String.raw`[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]`;
const HIDDEN = new RegExp(`${INVISIBLE}|${LONE_SURROGATE}`);
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i;

/**
 * Returns the problem of an untrusted path; undefined if it is a plain relative path that means the same on every
 * platform. Nothing is decoded: `%2e` is a literal text.
 */
export function pathProblem(path: string): PathProblem | undefined {
  if (path === "") return { reason: "empty", detail: "the path is empty" };
  if (path.length > MAX_PATH) return { reason: "too-long", detail: `the path is longer than ${MAX_PATH} characters` };
  if (HIDDEN.test(path)) return { reason: "characters", detail: "the path contains control or invisible characters" };
  if (path.includes("\\")) return { reason: "characters", detail: "the path contains a backslash; use /" };
  if (path.startsWith("/") || path.startsWith("~"))
    return { reason: "absolute", detail: "the path is not relative to the root" };
  // A drive (C:x) and an alternate stream (file.md:stream) need a colon; the others are wildcards on Windows.
  if (/[:*?"<>|]/.test(path)) return { reason: "characters", detail: 'the path contains one of : * ? " < > |' };
  const segments = path.split("/");
  if (segments.length > MAX_DEPTH)
    return { reason: "too-long", detail: `the path is deeper than ${MAX_DEPTH} folders` };
  for (const segment of segments) {
    if (segment === "..") return { reason: "escapes-root", detail: "the path leaves the root with .." };
    if (segment === "" || segment === ".")
      return { reason: "characters", detail: "a part of the path is empty or a single dot" };
    if (segment.length > MAX_SEGMENT)
      return { reason: "too-long", detail: `a part of the path is longer than ${MAX_SEGMENT} characters` };
    if (/[. ]$|^ /.test(segment))
      return { reason: "characters", detail: "a part of the path ends with a dot or a space, or begins with a space" };
    if (DEVICE.test(segment)) return { reason: "device-name", detail: `"${segment}" is a device name on Windows` };
  }
  return undefined;
}

// Files and folders that tools run, read or trust. Any part that begins with a dot is protected, too.
const PROTECTED = new Set([
  "node_modules",
  "hooks",
  "jenkinsfile",
  "makefile",
  "package.json",
  "package-lock.json",
  "pnpm-lock.yaml",
  "yarn.lock",
  "dockerfile",
  "agents.md",
  "claude.md",
]);

/**
 * Returns the problem of a path to promote an artifact to. The contract names the allowed folders and files. A
 * protected part is allowed only if an entry names it.
 */
export function promotionProblem(path: string, allowed: readonly string[]): PathProblem | undefined {
  const problem = pathProblem(path);
  if (problem !== undefined) return problem;
  const match = allowed.find((entry) => isInside(path, entry));
  if (match === undefined) {
    const places = allowed.length === 0 ? "it allows no promotion" : `allowed: ${allowed.join(", ")}`;
    return { reason: "not-allowed", detail: `the contract does not allow this path (${places})` };
  }
  const named = new Set(match.toLowerCase().split("/"));
  const bad = path.split("/").find((segment) => isProtected(segment) && !named.has(segment.toLowerCase()));
  return bad === undefined ? undefined : { reason: "protected", detail: `"${bad}" is protected` };
}

function isProtected(segment: string): boolean {
  return segment.startsWith(".") || PROTECTED.has(segment.toLowerCase());
}

function isInside(path: string, entry: string): boolean {
  return path.startsWith(`${entry}/`) || path === entry;
}
