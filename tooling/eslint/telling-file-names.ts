import type { Rule } from "eslint";
import { basename } from "node:path";

const drawers = new Set(["types.ts", "utils.ts", "helpers.ts", "common.ts"]);

/** Files are named after what is in them; a file for everything is imported by all and has no owner. */
export const tellingFileNames: Rule.RuleModule = {
  meta: { type: "suggestion", schema: [] },
  create: (context) => ({
    Program: (node) => {
      const name = basename(context.filename);
      if (!drawers.has(name)) return;
      context.report({ node, message: `Name the file after its main export; "${name}" tells nothing.` });
    },
  }),
};
