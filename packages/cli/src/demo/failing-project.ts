import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** The source file, with two bugs. */
const BROKEN = `export function slug(title) {
  return title.replace(" ", "-");
}
`;

/** The source file after the first fix: still not lower case. */
export const HALF_FIXED = `export function slug(title) {
  return title.trim().replaceAll(/[^A-Za-z0-9]+/g, "-");
}
`;

/** The correct source file. */
export const FIXED = `export function slug(title) {
  return title.trim().toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
}
`;

const TEST = `import assert from "node:assert/strict";
import { test } from "node:test";
import { slug } from "../src/slug.js";

test("one word stays", () => assert.equal(slug("hello"), "hello"));
test("blanks become hyphens", () => assert.equal(slug("a b c"), "a-b-c"));
test("letters become small", () => assert.equal(slug("Hello World"), "hello-world"));
`;

const CONTRACT = `---
phase: verifying
contract_version: 1
artifact_path: "CHANGES.md"
required_sections: [cause, fix, evidence]
done_when:
  - CHANGES.md says what was wrong, what was changed and what shows that it works
next_phase: null
---
`;

/** Names of files to read. */
const SIDE_FILES = [
  "router",
  "views",
  "store",
  "format",
  "dates",
  "links",
  "feeds",
  "search",
  "theme",
  "images",
  "tags",
  "pages",
];

/** Writes the failing project, with a contract for its last phase, into an empty folder. */
export async function writeProject(folder: string): Promise<void> {
  const files: Readonly<Record<string, string>> = {
    "package.json": '{ "name": "slugs", "type": "module", "scripts": { "test": "node --test" } }\n',
    "README.md": "# slugs\n\nTurns titles into parts of addresses.\n",
    "src/slug.js": BROKEN,
    "test/slug.test.js": TEST,
    "contracts/verifying.md": CONTRACT,
    ...Object.fromEntries(
      SIDE_FILES.map((name) => [
        `src/${name}.js`,
        `import { slug } from "./slug.js";\n\nexport const ${name} = (title) => \`/${name}/\${slug(title)}\`;\n`,
      ]),
    ),
  };
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

/** The files for the agent that only reads. */
export const filesToRead: readonly string[] = [
  "README.md",
  "package.json",
  "src/slug.js",
  ...SIDE_FILES.map((name) => `src/${name}.js`),
];
