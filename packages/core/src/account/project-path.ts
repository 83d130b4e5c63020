/**
 * Returns a path in one form, whoever wrote it: `/` between folders, a small drive letter for `D:\a`, `/d/a` and
 * `/mnt/d/a`, and no `.` or `..` in it.
 */
export function plainPath(given: string): string {
  let path = given.trim().replace(/^["']|["']$/g, "");
  if (path.includes("\\")) path = path.replaceAll("\\", "/");
  path = path.replace(/^\$\{?PWD\}?\//, "").replace(/^(?:\/mnt)?\/([a-z])(?=\/)/i, "$1:");
  path = path.replace(/^[A-Z]:/, (drive) => drive.toLowerCase());
  if (!/(?:^|\/)\.{0,2}\/|\/\.{1,2}$/.test(path)) return path;
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "." || (part === "" && parts.length > 0)) continue;
    if (part === ".." && parts.length > 0 && parts.at(-1) !== ".." && parts.at(-1) !== "") parts.pop();
    else parts.push(part);
  }
  return parts.join("/");
}

/** True if two plain paths name the same file, as far as they are written: one may begin deeper than the other. */
export function isSamePath(one: string, other: string): boolean {
  if (one === other) return true;
  return one.length > other.length ? one.endsWith(`/${other}`) : other.endsWith(`/${one}`);
}

/** True if a name holds something a shell would have put in: it is not a path. */
export function isUnexpanded(path: string): boolean {
  return /[$`]|%\w+%|^-|^\W*$|[<>|;&\n]/.test(path);
}

const ABSOLUTE = /^(?:\/|~|[a-z]:)/i;
const HOME = /^(?:\/(?:Users|home)\/[^/]+|\/root|~|[a-z]:\/Users\/[^/]+)(?:\/|$)/i;
const TEMPORARY = new RegExp(
  [
    "^(?:/private)?(?:/var)?/tmp(?:/|$)",
    "^(?:/private)?/var/folders/",
    "^/dev/",
    "/AppData/Local/Temp(?:/|$)",
    "^[a-z]:/(?:Windows/)?Te?mp(?:/|$)",
    // The names `mktemp` makes, and the folder agents are given for notes.
    "(?:^|/)tmp\\.[A-Za-z0-9]{6,}(?:/|$)",
    "(?:^|/)scratchpad(?:/|$)",
  ].join("|"),
  "i",
);
const SYSTEM = /^\/(?:etc|proc|sys|bin|sbin|lib\d*|usr\/(?!src\/|local\/src\/)|var\/(?!www\/|task\/))/;
// Folders of a project that hold no work: what version control, builds and tools leave there.
const LEFT_BY_TOOLS = new RegExp(
  "(?:^|/)(?:\\.git|node_modules|__pycache__|\\.venv|venv|\\.next|\\.nuxt|\\.turbo|\\.cache|\\.gradle|\\.tox|" +
    "\\.mypy_cache|\\.pytest_cache|\\.ruff_cache|coverage|\\.phasekit)/|^(?:\\.?tmp|temp|\\.?scratch)/",
);
const BUILT =
  /\.(?:exe|dll|so|dylib|o|obj|a|lib|class|jar|war|pyc|pyo|wasm|whl|egg|msi|msix|deb|rpm|apk|dmg|log|map)$/i;
const BUILD_FOLDER = /^(?:[^/]+\/){0,3}(?:dist|build|out|target|bin|obj|release)\//;
/** Files in a folder for builds that people write all the same: scripts and their configuration. */
const WRITTEN =
  /\.(?:[cm]?[jt]sx?|py|rb|sh|ps1|go|rs|java|kt|cs|c|cc|cpp|h|hpp|gradle|mk|cmake|json|ya?ml|toml|mdx?)$/i;

/**
 * Returns the place of a file in the project: its path from the project's folder if that is known, else the path
 * itself. `undefined` for everything that is not the project's: temporary and system folders, settings and plans in a
 * home, outputs of builds, names a shell has yet to fill in.
 */
export function placeInProject(given: string, folder?: string): string | undefined {
  if (given === "" || isUnexpanded(given)) return undefined;
  const path = plainPath(given);
  const root = folder === undefined ? undefined : plainPath(folder).replace(/\/$/, "");
  const inside = root === undefined ? undefined : pathFrom(root, path);
  if (inside !== undefined) {
    const isHome = HOME.test(`${root ?? ""}/`) && (root ?? "").replace(HOME, "") === "";
    return (isHome && inside.startsWith(".")) || isLeftover(inside) ? undefined : inside;
  }
  if (!ABSOLUTE.test(path)) return path.startsWith("../") || !isLeftover(path) ? path : undefined;
  if (TEMPORARY.test(path) && !isProjectInTemp(path, root)) return undefined;
  if (SYSTEM.test(path)) return undefined;
  if (HOME.test(path)) {
    const [first = "", ...rest] = path.replace(HOME, "").split("/");
    if (rest.length === 0 || /^(?:\.|Library$|AppData$|Desktop$|Downloads$)/.test(first)) return undefined;
  }
  return isLeftover(path) ? undefined : path;
}

/** Where the folder of the project is not known, a folder under `/tmp` may be it. */
function isProjectInTemp(path: string, root: string | undefined): boolean {
  return root === undefined && /^(?:\/private)?(?:\/var)?\/tmp\/(?!tmp\.|claude)[^/]+\/./.test(path);
}

function isLeftover(path: string): boolean {
  return LEFT_BY_TOOLS.test(path) || BUILT.test(path) || (BUILD_FOLDER.test(path) && !WRITTEN.test(path));
}

/** The rest of a path inside a folder; drives of Windows do not tell small letters from capitals. */
function pathFrom(folder: string, path: string): string | undefined {
  if (folder === "") return undefined;
  const begin = `${folder}/`;
  const isInside =
    path.startsWith(begin) || (/^[a-z]:/.test(folder) && path.toLowerCase().startsWith(begin.toLowerCase()));
  return isInside ? path.slice(begin.length) : undefined;
}
