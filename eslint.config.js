import eslint from "@eslint/js";
import { defineConfig, globalIgnores } from "eslint/config";
import tseslint from "typescript-eslint";
import {
  commonPatterns,
  dependencyPatternsFor,
  nodeSources,
  patternsFor,
  portablePatterns,
  testPatterns,
} from "./tooling/eslint/package-arrows.ts";
import { deterministicSources } from "./tooling/eslint/deterministic-sources.ts";
import { tellingFileNames } from "./tooling/eslint/telling-file-names.ts";
import { publishedPackages } from "./tooling/workspace.ts";

const sources = ["packages/*/src/**/*.ts", "packages/adapters/*/src/**/*.ts"];
const tests = ["**/*.test.ts", "**/*.test-d.ts", "packages/**/test/**/*.ts"];

const restrictImports = (...groups) => ({ "no-restricted-imports": ["error", { patterns: groups.flat() }] });

export default defineConfig(
  globalIgnores([
    "**/dist/",
    "**/coverage/",
    "**/reports/",
    "**/.stryker-tmp/",
    "**/.turbo/",
    "**/.results/",
    "plugins/",
  ]),
  { linterOptions: { reportUnusedDisableDirectives: "error" } },
  eslint.configs.recommended,
  {
    files: ["**/*.{ts,tsx}"],
    // Rules that need types are in .oxlintrc.json: oxlint takes a tenth of the time for them.
    extends: [tseslint.configs.strict],
    plugins: {
      phasekit: {
        rules: { "telling-file-names": tellingFileNames, "deterministic-sources": deterministicSources },
      },
    },
    rules: {
      "@typescript-eslint/consistent-type-imports": ["error", { fixStyle: "inline-type-imports" }],
      "@typescript-eslint/no-import-type-side-effects": "error",
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
      "max-params": ["error", { max: 3 }],
      "phasekit/telling-file-names": "error",
      ...restrictImports(commonPatterns),
    },
  },
  {
    files: ["**/*.{js,mjs}"],
    languageOptions: { globals: { console: "readonly", process: "readonly", URL: "readonly" } },
  },

  // The arrows between packages. A later block replaces the rule of an earlier one, so each repeats what it keeps.
  ...publishedPackages().flatMap(({ folder }) => [
    {
      files: [`${folder}/**/*.ts`],
      rules: restrictImports(commonPatterns, patternsFor(folder)),
    },
    {
      files: [`${folder}/src/**/*.ts`],
      ignores: [...tests, ...nodeSources],
      rules: restrictImports(commonPatterns, patternsFor(folder), portablePatterns, dependencyPatternsFor(folder)),
    },
    {
      files: [`${folder}/test/**/*.ts`],
      rules: restrictImports(commonPatterns, testPatterns),
    },
  ]),

  {
    files: sources,
    ignores: tests,
    rules: {
      "no-restricted-syntax": [
        "error",
        { selector: "ExportDefaultDeclaration", message: "Use a named export." },
        { selector: "ExportAllDeclaration", message: "Name every export: the entry is the list of the API." },
      ],
    },
  },
  {
    // Did a call fail, did a change land: answered once, in core's account. Readers of events ask it.
    files: ["core", "tracker", "watchdog", "ledger", "report", "cli"].map(
      (name) => `packages/${name}/src/**/*.{ts,tsx}`,
    ),
    ignores: [...tests, "packages/core/src/account/**", "packages/cli/src/hooks/**"],
    rules: {
      "no-restricted-syntax": [
        "error",
        { selector: "ExportDefaultDeclaration", message: "Use a named export." },
        { selector: "ExportAllDeclaration", message: "Name every export: the entry is the list of the API." },
        ...["[left.name='outcome']", "[left.property.name='outcome']"].map((left) => ({
          selector: `BinaryExpression[operator=/^[!=]==$/][right.value=/^(?:ok|error)$/]${left}`,
          message: "Ask callFailed(), callWorked() or changeLanded() of @phasekit/core/account.",
        })),
        {
          selector: "MemberExpression[property.name='failed'][object.callee.name='notesOf']",
          message: "Ask callFailed() of @phasekit/core/account.",
        },
      ],
    },
  },
  {
    // Same events, same answer: time, chance and the outside world are passed in by the caller.
    files: sources,
    ignores: [...tests, ...nodeSources],
    rules: {
      "no-restricted-globals": [
        "error",
        // Names such as setTimeout do not even compile: the sources are checked without the types of any runtime.
        ...["console", "process", "globalThis"].map((name) => ({
          name,
          message: "Sources are pure; take what you need as an option.",
        })),
      ],
      "no-restricted-properties": [
        "error",
        { object: "Date", property: "now", message: "Time comes in as the `clock` option." },
        { object: "Math", property: "random", message: "Ids come in as the `createId` option." },
      ],
    },
  },
  {
    // Durable engines compute a run again from its journal: these packages are all that `codingRun` and `durableRun` load.
    files: ["core", "reading", "tracker", "watchdog", "ledger", "coding", "durable"].map(
      (name) => `packages/${name}/src/**/*.ts`,
    ),
    ignores: [...tests, ...nodeSources],
    rules: { "phasekit/deterministic-sources": "error" },
  },
  {
    files: tests,
    rules: {
      "@typescript-eslint/no-non-null-assertion": "off",
    },
  },
);
