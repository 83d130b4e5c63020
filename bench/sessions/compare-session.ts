import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { Label } from "./label.ts";
import {
  askWhy,
  knownPhases,
  play,
  type Played,
  type PlayedCall,
  type WhyAnswer,
  withoutCalls,
} from "./product-answers.ts";
import { hideHomes, type Score } from "./score.ts";

/** The letter of a label that each activity counts as. `delegate` says nothing about the work of the sub-agent. */
export const letters: ReadonlyMap<string, string> = new Map([
  ["read", "E"],
  ["search", "E"],
  ["vcs-read", "E"],
  ["plan", "P"],
  ["ask", "P"],
  ["edit", "A"],
  ["install", "A"],
  ["test", "V"],
  ["build", "V"],
  ["lint", "V"],
  ["run", "V"],
  ["vcs-write", "D"],
  ["wait", "W"],
]);

const VERDICTS: Readonly<Record<string, readonly string[]>> = {
  pass: ["yes"],
  weak: ["yes supported", "yes weak", "weak", "partly"],
  fail: ["no"],
  none: ["no"],
  "not-needed": ["unneeded"],
};

/** The reasons that fit each end; an `error` is any other. */
const ENDS: Readonly<Record<string, readonly string[]>> = {
  done: ["done", "done_unverified", "gave_up"],
  asked: ["suspended", "asked"],
  interrupted: ["cancelled", "interrupted", "suspended"],
  cut: ["interrupted", "step_limit"],
};

/** One session in words: each answer, then each call. A difference begins with ✗. */
export interface SessionDetails {
  readonly file: string;
  readonly lines: readonly string[];
  readonly problems: readonly string[];
}

interface Comparison {
  readonly label: Label;
  readonly score: Score;
  readonly lines: string[];
  /** Counts an answer and says it. */
  readonly judge: (
    name: string,
    right: boolean,
    said: { readonly reader: string; readonly product: string },
  ) => boolean;
}

/** Compares the answers of the product about one session with its label. */
export async function compareSession(
  label: Label,
  { folder, temp, score }: { readonly folder: string; readonly temp: string; readonly score: Score },
): Promise<SessionDetails> {
  const { file } = label;
  const bytes = readFileSync(join(folder, file));
  const text = (bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString("utf8");
  const log = join(temp, file.replace(/\.gz$/, ""));
  writeFileSync(log, text);
  const why = await askWhy(log, temp);
  rmSync(log);
  const played = play(text, why.about.id);
  const lines: string[] = [];
  const judge: Comparison["judge"] = (name, right, { reader, product }) => {
    lines.push(`${right ? "  " : "✗ "}${name}: reader ${reader}, product ${product}`);
    return score.count(name, right, [file, `reader ${reader}, product ${product}`]);
  };
  const comparison = { label, score, lines, judge };
  judgeWork(comparison, why);
  judgeVetoes(comparison, played);
  judgeLostChecks(comparison, (change) => play(text, why.about.id, change));
  judgeEnd(comparison, why);
  judgeLoops(comparison, why);
  if (label.calls.length !== played.calls.length) {
    const counts = `${String(label.calls.length)} letters, the log ${String(played.calls.length)} calls`;
    return { file, lines, problems: [`the label has ${counts}; activity and checks are left out`] };
  }
  judgeChecks(comparison, played.calls);
  return { file, lines: [...lines, ...judgeActivities(comparison, played.calls)], problems: [] };
}

function judgeWork({ label, judge }: Comparison, { story, verification }: WhyAnswer): void {
  const edit = story.work.lastEdit;
  const wanted = label.lastWork;
  const same =
    wanted === null || edit === undefined
      ? wanted === null && edit === undefined
      : edit.call === wanted.call || (Math.abs(edit.call - wanted.call) <= 2 && isSamePath(edit.file, wanted.file));
  judge("last work", same, { reader: placeText(wanted), product: placeText(edit) });
  const verdict = `${verification.verdict} ${verification.grade ?? story.evidence?.grade ?? ""}`.trim();
  const fits = VERDICTS[label.after]?.some((want) => verdict === want || verification.verdict === want) ?? false;
  judge("verified", fits, { reader: label.after, product: `${verdict} (${verification.text ?? ""})` });
}

/** A veto that stands: not one that only objects or was waived. */
const standing = ({ vetoes }: Played): Played["vetoes"] =>
  vetoes.filter(({ held }) => held !== "objection" && held !== "waived");

function judgeVetoes({ label, score, lines, judge }: Comparison, played: Played): void {
  const stands = standing(played);
  const names = stands.map(({ gate, held }) => gate + (held === undefined ? "" : ` (held: ${held})`)).join(", ");
  const said = stands.length > 0 ? `veto by ${names}` : played.vetoes.length > 0 ? "objection only" : "no veto";
  if (label.veto === "debatable") {
    score.aside("veto where the reader says debatable", label.file, said);
    lines.push(`  veto: reader debatable, product ${said}`);
  } else
    judge("veto at the last finish", stands.length > 0 === (label.veto === "yes"), {
      reader: label.veto,
      product: said,
    });
}

/** Plays the session without the checks after the last work, and with `echo ok` in their place: it must come back. */
function judgeLostChecks(
  { label, judge }: Comparison,
  replay: (change: (read: Parameters<typeof withoutCalls>[0]) => ReturnType<typeof withoutCalls>) => Played,
): void {
  const { lastWork, checks } = label;
  if (lastWork === null || label.end !== "done" || !["pass", "weak"].includes(label.after)) return;
  if (!["code", "tests", "mixed"].includes(label.workKind)) return;
  const isCheckCall = (call: number): boolean => label.calls[call - 1] === "V" || checks.some((c) => c.call === call);
  const drop = new Set(
    Array.from({ length: label.calls.length }, (_, i) => i + 1).filter((n) => n > lastWork.call && isCheckCall(n)),
  );
  if (drop.size === 0) return;
  const comesBack = (command?: string): boolean =>
    standing(replay((read) => withoutCalls(read, drop, command))).length > 0;
  const lost = `must come back (${String(drop.size)} checks after call ${String(lastWork.call)} taken out)`;
  judge("checks taken out: vetoed", comesBack(), { reader: lost, product: "no veto" });
  judge("`echo ok` instead: vetoed", comesBack("echo ok"), { reader: "must come back", product: "no veto" });
}

function judgeEnd({ label, score, lines, judge }: Comparison, { story }: WhyAnswer): void {
  const reason = story.reason ?? story.state;
  const fits =
    label.end === "error" ? !Object.values(ENDS).flat().includes(reason) : (ENDS[label.end]?.includes(reason) ?? false);
  judge("end reason", fits, { reader: label.end, product: reason });
  if (knownPhases.has(label.endedIn))
    judge("ended in", story.phase === label.endedIn, { reader: label.endedIn, product: story.phase });
  else {
    score.aside("ended in a phase the product lacks", label.file, `reader ${label.endedIn}, product ${story.phase}`);
    lines.push(`  ended in: reader ${label.endedIn}, product ${story.phase}`);
  }
}

function judgeLoops({ label, judge }: Comparison, { story }: WhyAnswer): void {
  type Range = { readonly from: number; readonly to?: number };
  const overlap = (a: Range, b: Range): boolean => a.from <= (b.to ?? b.from) && b.from <= (a.to ?? a.from);
  for (const loop of story.loops) {
    const said = `${loop.kind} ${String(loop.from)}-${String(loop.to)} (${loop.severity ?? "?"})`;
    const isReal = label.loops.some((each) => overlap(loop, each));
    judge("loops told (wrong: false)", isReal, { reader: "no loop there", product: said });
  }
  for (const loop of label.loops) {
    const isTold = story.loops.some((each) => overlap(loop, each));
    const said = `${String(loop.from)}-${String(loop.to ?? loop.from)} ${loop.why ?? ""}`;
    judge("loops labelled (wrong: missed)", isTold, { reader: said, product: "nothing" });
  }
}

function judgeChecks({ label, score, judge }: Comparison, calls: readonly PlayedCall[]): void {
  for (const { call, kind, result } of label.checks) {
    const seen = calls[call - 1];
    if (seen === undefined) continue;
    const activity = seen.meaning?.activity ?? "nothing";
    const isKnown = isCheck(seen) || (kind === "run" && activity === "run");
    const reader = `call ${String(call)} ${kind} ${result}`;
    if (!judge(`check seen: ${kind}`, isKnown, { reader, product: activity }) || kind === "run" || result === "unknown")
      continue;
    judge(`check verdict: ${result}`, verdictOf(seen) === result, { reader, product: verdictOf(seen) });
  }
  for (const [i, call] of calls.entries()) {
    if (!isCheck(call)) continue;
    const isReal = label.calls[i] === "V" || label.checks.some((check) => check.call === i + 1);
    const words = `call ${String(i + 1)} ${call.meaning?.activity ?? "nothing"}, reader ${label.calls[i] ?? "?"}`;
    score.count("check is one", isReal, [label.file, words]);
  }
}

function judgeActivities({ label, score }: Comparison, calls: readonly PlayedCall[]): readonly string[] {
  return calls.map((call, i) => {
    const letter = label.calls[i] ?? "?";
    const activity = call.meaning?.activity ?? "nothing";
    score.cell(letter, activity);
    const isCounted = "EPAVDW".includes(letter) && activity !== "delegate";
    const right = !isCounted || letters.get(activity) === letter;
    const shown = `${call.tool ?? ""} ${inputText(call.input)}`;
    if (isCounted)
      score.count(`activity ${letter}`, right, [label.file, `call ${String(i + 1)} ${activity}: ${shown}`]);
    const check = isCheck(call) ? `check:${verdictOf(call)} ` : "";
    return hideHomes(`${right ? "  " : "✗ "}[${String(i + 1)}] ${letter} ${activity} ${check}${shown}`);
  });
}

function isCheck({ meaning }: PlayedCall): boolean {
  if (meaning === undefined) return false;
  const { effect, tests, activity = "" } = meaning;
  return effect === "check" || tests !== undefined || ["test", "build", "lint"].includes(activity);
}

function verdictOf({ meaning }: PlayedCall): string {
  const notes = meaning?.notes as { readonly check?: { readonly verdict?: string } } | undefined;
  return meaning?.tests?.verdict ?? notes?.check?.verdict ?? "unknown";
}

function inputText(input: unknown): string {
  const { command, cmd } = (input ?? {}) as { readonly command?: unknown; readonly cmd?: unknown };
  return ((JSON.stringify(command ?? cmd ?? input ?? "") as string | undefined) ?? "").slice(0, 90);
}

function placeText(place: { readonly call: number; readonly file?: string } | null | undefined): string {
  if (place === null || place === undefined) return "none";
  return `${place.file?.replaceAll("\\", "/").split("/").at(-1) ?? "?"} (call ${String(place.call)})`;
}

function isSamePath(a = "", b = ""): boolean {
  const [x, y] = [a, b].map((path) => `/${path.replaceAll("\\", "/").replace(/^\.?\/+/, "")}`) as [string, string];
  return x.endsWith(y) || y.endsWith(x);
}
