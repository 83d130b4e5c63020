import { countBefore, type TestReader } from "./test-reader.ts";

/** `tsc`: `a.ts(1,2): error TS2322: …`, in its plain and its pretty form. Silence says nothing by itself. */
export const tsc: TestReader = {
  runner: "tsc",
  marks: ["error TS", "Found 0 errors"],
  read: (text) => {
    const errors = [...text.matchAll(/\berror TS\d+: /g)].length;
    if (errors > 0) return { failed: errors };
    return /^Found 0 errors\./m.test(text) || /Found 0 errors\. Watching/.test(text) ? { passed: 1, failed: 0 } : undefined;
  },
};

/** ESLint and those that print as it does: `✖ 3 problems (2 errors, 1 warning)`. */
export const eslint: TestReader = {
  runner: "eslint",
  marks: [" problem", "Oops! Something"],
  read: (text) => {
    const problems = /✖ \d+ problems? \((.+)\)/.exec(text)?.[1];
    if (problems !== undefined) {
      const failed = countBefore(problems, "errors?");
      return failed > 0 ? { failed } : { failed: 0, passed: 1 };
    }
    return /^Oops! Something went wrong! :\(/m.test(text) ? { broken: true } : undefined;
  },
};
