import { namesOf, type TestReader } from "./test-reader.ts";
import { pytest } from "./pytest.ts";
import { unittest } from "./unittest.ts";

/** tox: `congratulations :)` or `evaluation failed :(`, around the output of the runner inside. */
export const tox: TestReader = {
  runner: "tox",
  marks: ["congratulations :)", "evaluation failed :(", "commands failed", ": FAIL "],
  read: (text) => {
    const good = /^\s*congratulations :\)/m.test(text);
    const bad = /^\s*evaluation failed :\(|^ERROR: {3}\S+: commands failed|^\s*\S+: FAIL (?:code|✖)/m.test(text);
    if (!good && !bad) return undefined;
    const inner = pytest.read(text) ?? unittest.read(text);
    if (bad) return { ...inner, none: false, broken: true, ...(inner?.failing === undefined && namesOf(text, /^\s*(\S+): FAIL/gm)) };
    return inner ?? { passed: [...text.matchAll(/^\s*\S+: OK/gm)].length };
  },
};
