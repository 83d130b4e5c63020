import type { Activity } from "@phasekit/core";
import { isScratchFile, isSourceFile } from "@phasekit/core/account";
import { wordSet } from "../word-table.ts";
import { anyOf } from "../patterns.ts";

/**
 * A piece of code that is passed to an interpreter as text: `python -c`, `node -e`, a heredoc, a notebook
 * cell.
 */
export interface InlineCode {
  readonly activity: Activity;
  /** Files it names, when it reads or writes any. */
  readonly targets: readonly string[];
  /** It takes what another command sends. */
  readonly filters: boolean;
  /** Source files it rewrites before it tries the program out. */
  readonly rewrites?: readonly string[];
  /** True if it only finds out whether a file can be parsed. */
  readonly parses?: true;
  /** Modules and files of the project that it loads. */
  readonly loads?: readonly string[];
  /** True if it reaches nothing outside itself: `node -e 1`. */
  readonly idle?: true;
}

const MAX_CODE = 16_384;
const MAX_FILES = 8;

const TESTS = anyOf(
  "",
  /\b(?:pytest\.main|unittest\.main|unittest\.TextTestRunner|doctest\.(?:testmod|testfile)|nose\.(?:run|main))/,
  /\b(?:Pkg\.test|devtools::(?:test|check)|testthat::test_|call_command\(\s*["']test["'])/,
);
const WRITES = anyOf(
  "",
  /\bopen\([^)\n]*,\s*(?:mode\s*=\s*)?["'][wax]\+?[bt]?["']/,
  /\.write_(?:text|bytes)\(/,
  /\b(?:write|append)File(?:Sync)?\(/,
  /\bFile\.write\(/,
  /\bfile_put_contents\(/,
  /\bfileinput\.\w+\([^)]*inplace/,
  /\bshutil\.(?:copy|move)/,
  /\bos\.(?:rename|replace|remove)\(/,
);
const READS = anyOf(
  "",
  /\bopen\(/,
  /\.read_(?:text|bytes)\(/,
  /\breadFile(?:Sync)?\(/,
  /\bFile\.read\(/,
  /\bfile_get_contents\(/,
  /\brequire\(["'][^"']*\.json["']\)/,
);
// Asks for a version, a place or a source; whatever it imports is only looked at.
const ASKS = anyOf(
  "",
  /\binspect\.(?:get\w+|signature)\(/,
  /\.__(?:file|version|doc|mro|path|dict)__/,
  /\.(?:VERSION|version(?:_info)?)\b/,
  /^(?:print\()?(?:help|dir)\(/,
  /\bsys\.(?:path|executable|prefix)\b/,
  /\bplatform\.\w+\(/,
  /\bimportlib\.(?:metadata|util)\b/,
  /\bPHP_VERSION\b/,
  /\bRUBY_VERSION\b/,
  /\brequire\.resolve\(/,
);
// Modules that handle text and files: code with no other imports works on files, not on the program.
const TOOLING = wordSet(
  "re os os.path sys io json csv pathlib textwrap shutil glob ast difflib fileinput codecs string itertools " +
    "collections typing pprint tomllib toml yaml configparser tokenize subprocess time fs path util fs/promises " +
    "node:fs node:path node:util node:fs/promises child_process inspect platform importlib importlib.metadata " +
    "importlib.util",
);

/** Reads code by what it imports and calls; what is neither an edit nor a look tries the program out. */
export function readInlineCode(given: string): InlineCode {
  const code = given.slice(0, MAX_CODE);
  const found = (activity: Activity, filters = false): InlineCode => ({
    activity,
    filters,
    targets: activity === "run" ? [] : filesIn(code),
  });
  if (TESTS.test(code)) return found("test");
  const imports = importsOf(code);
  if (onlyParses(code, imports)) return { ...found("lint"), parses: true, targets: namedIn(code) };
  const foreign = imports.some((module) => !TOOLING.has(module));
  if (foreign && (onlyAsks(code) || imports.every((module) => TOOLING.has(module) || INSTALLED.test(module))))
    return found("read");
  if (foreign)
    return {
      ...found("run"),
      ...(WRITES.test(code) && READS.test(code) && { rewrites: sourcesIn(code) }),
      loads: imports.filter((module) => !TOOLING.has(module)).map(pathOfModule),
    };
  if (WRITES.test(code)) return found("edit");
  if (READS.test(code) || onlyAsks(code)) return found("read", STDIN.test(code));
  const idle = imports.length === 0 && !REACHES.test(code);
  return { ...found("run", STDIN.test(code)), ...(idle && { idle }) };
}

const STDIN = /\bstdin\b|\bSTDIN\b/;
/** Signs that code starts a program, asks a server or names a file. */
const REACHES = anyOf(
  "",
  /\b(?:subprocess|child_process|exec\w*|spawn\w*|system|popen|fetch|urlopen|request|source|include|require|load)\b/i,
  /["'`][^"'`\n]{0,300}[/\\][^"'`\n]{1,300}["'`]/,
);

/** Libraries that are looked at, and not the program: `import("/usr/lib/node_modules/x")`. */
const INSTALLED = /(?:^|[\\/])(?:node_modules|site-packages|dist-packages)[\\/]/;

/** The file a module may be in: `app.models` is `app/models`, `./a.js` stays as it is. */
function pathOfModule(module: string): string {
  return /[/\\]|\.\w{1,4}$/.test(module) && !/^[\w]+(?:\.\w+)+$/.test(module) ? module : module.replaceAll(".", "/");
}

const PARSERS = wordSet("yaml js-yaml toml smol-toml tomllib tomli json json5 jsonc-parser ast xml.dom xml.etree lxml");
const PARSES = anyOf(
  "",
  /\b(?:yaml|toml|tomllib|tomli|json5?)\.(?:safe_)?(?:load(?:s|_all)?|parse(?:Document|AllDocuments)?)\(/,
  /\bJSON\.parse\(/,
  /\bast\.parse\(/,
  /\bcompile\([^)]*["']exec["']\)/,
  /\bpy_compile\.compile\(/,
  /\bElementTree\.parse\(|\bminidom\.parse\(/,
  /\bYAML\.(?:safe_)?load(?:_file)?\(/,
  /(?:^|[\s;(=])(?:parse|load|safeLoad|parseDocument)\(/,
);
/** A print of a fixed text, perhaps with a name: `print("ok")`, `console.log(f + " ok")`. */
const PRINTS = /\b(?:print|console\.log|puts|echo)\b\s*\(?([^;\n]*)/g;

/** True if code parses files and shows nothing of them but that it worked. */
function onlyParses(code: string, imports: readonly string[]): boolean {
  if (!PARSES.test(code) || WRITES.test(code) || /\bstdin\b/i.test(code)) return false;
  if (!imports.every((module) => PARSERS.has(module) || TOOLING.has(module))) return false;
  const printed = [...code.matchAll(PRINTS)].map(([, text = ""]) => text);
  return printed.every(isFixedText) && namedIn(code).length > 0;
}

function isFixedText(text: string): boolean {
  const rest = text.replace(/f?"[^"]*"|f?'[^']*'|`[^`]*`/g, "");
  return rest !== text && /^[\s\w+,()}]*$/.test(rest);
}

/** Every file that code names in quotes. */
function namedIn(code: string): readonly string[] {
  const files = new Set<string>();
  for (const [, file = ""] of code.matchAll(/["'`]([^"'`\n*?]{1,300}\.[A-Za-z]\w{0,7})["'`]/g))
    if (files.size < MAX_FILES && !/\s/.test(file)) files.add(file);
  return [...files];
}

function importsOf(code: string): readonly string[] {
  const found: string[] = [];
  for (const [, from, list, required] of code.matchAll(
    anyOf(
      "g",
      /(?:^|[;\n])[ \t]*(?:from\s+([\w.]+)\s+import\b|import\s+([\w., ]+))/,
      /\b(?:require\(|from |import\()\s*["']([^"']+)["']/,
    ),
  )) {
    for (const name of (from ?? required ?? list ?? "").split(",")) found.push(name.trim().split(" ")[0] ?? "");
  }
  return found.filter((name) => name !== "" && !name.endsWith(".json"));
}

/** True if every statement but imports asks for a version, a place or a source. */
function onlyAsks(code: string): boolean {
  const statements = code
    .split(/[;\n]/)
    .map((statement) => statement.trim())
    .filter((statement) => !/^(?:$|#|\/\/|import\b|from\b|const .*require\()/.test(statement));
  return statements.length > 0 && statements.every((statement) => ASKS.test(statement));
}

/** Calls and assignments that name a file. */
const CALL = anyOf(
  "",
  /\bopen\(/,
  /\bPath\(/,
  /File(?:Sync)?\(/,
  /\bFile\.\w+\(/,
  /_contents\(/,
  /\b\w*(?:path|file|name|src|target|p|f)\s*=\s*/,
);
const FILE = new RegExp(`(?:${CALL.source})` + /\s*[rf]?["']([^"'\n]{1,300}\.\w{1,8})["']/.source, "gi");

/** Source files of the project that code names. */
function sourcesIn(code: string): readonly string[] {
  return filesIn(code).filter((file) => isSourceFile(file) && !isScratchFile(file, { created: false }));
}

function filesIn(code: string): readonly string[] {
  const files = new Set<string>();
  for (const [, file = ""] of code.matchAll(FILE)) if (files.size < MAX_FILES) files.add(file);
  return [...files];
}
