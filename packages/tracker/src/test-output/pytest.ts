import { countBefore, namesOf, type TestReader } from "./test-reader.ts";

const OUTCOMES = "\\d+ (?:passed|failed|skipped|errors?|deselected|xfailed|xpassed|warnings?|rerun|subtests? passed)";
const SUMMARY = new RegExp(`^(?:=+ )?(?:\\x1b\\[[\\d;]*m)?((?:${OUTCOMES})(?:, ${OUTCOMES})*|no tests ran|no tests collected.*?)(?: in [\\d.:]+ ?s.*?)?(?: =+)?$`, "gm");

/** pytest: `=== 1 failed, 2 passed in 0.10s ===`, with or without the rulers. */
export const pytest: TestReader = {
  runner: "pytest",
  marks: [" in ", "== ", "%]", "FAILED ", "ERROR", "collected 0 ", "Error", "Exception"],
  read: (text) => {
    const summary = text.includes("== ") || / in [\d.:]+ ?s/.test(text) ? lastSummary(text) : undefined;
    const failing = text.includes("FAILED ") || text.includes("ERROR ") ? namesOf(text, /^(?:FAILED|ERROR) (\S+(?:::| )?.*?)(?: - .*)?$/gm) : {};
    if (summary === undefined) return readProgress(text, failing);
    const passed = countBefore(summary, "passed|xpassed");
    const failed = countBefore(summary, "failed");
    const broken = countBefore(summary, "errors?") > 0;
    return { passed, failed, skipped: countBefore(summary, "skipped|xfailed"), broken, none: passed === 0 && failed === 0 && !broken && countBefore(summary, "xfailed") === 0, ...failing };
  },
};

function lastSummary(text: string): string | undefined {
  return [...text.matchAll(SUMMARY)].filter(([line]) => / in [\d.:]+ ?s/.test(line) || line.startsWith("=")).at(-1)?.[1];
}

/** Output cut before its end: the line of dots shows failures, but dots alone are not yet a pass. */
function readProgress(text: string, failing: { readonly failing?: readonly string[] }): ReturnType<TestReader["read"]> {
  if (/^(?:ERROR: file or directory not found|collected 0 items$)/m.test(text)) return { none: true };
  const progress = text.includes("%]") ? [...text.matchAll(/^(?:\S+\.py )?([.FEsxX]+)\s+\[ *\d+%\]$/gm)].map(([, marks]) => marks ?? "").join("") : "";
  if (/[FE]/.test(progress) || failing.failing !== undefined) return { broken: true, ...failing };
  if (text.includes("____ ") && /^E {3}\s*\w*(?:Error|Exception)\b/m.test(text) && /^_{5,} /m.test(text)) return { broken: true };
  return progress === "" ? undefined : { partial: true };
}
