import type { EventOf, RunEvent } from "../events/run-event.ts";
import { pushBounded } from "../text/bounded.ts";
import { tableOf } from "../text/table-of.ts";
import { callFailed, changeLanded, checkOf } from "./call.ts";
import { notesOf } from "./coding-notes.ts";

/** How far the work was delivered: places in the log. 0 means never. */
export interface Delivery {
  committedSeq: number;
  pushedSeq: number;
  pullRequestSeq: number;
  /** The last CI result that was seen or reported. */
  ci: { readonly seq: number; readonly verdict: "pass" | "fail" | "unknown" } | undefined;
  /** True if the host reports the workspace, so that a missing commit is known to be missing. */
  observed: boolean;
  /** True if a command of the version control system was seen. */
  usesGit: boolean;
  /** Settings of checks that were loosened, and whether hooks were skipped with `--no-verify`. */
  readonly loosened: string[];
  skippedHooks: boolean;
}

const MAX_LOOSENED = 16;

/** A run that has delivered nothing. */
export function createDelivery(): Delivery {
  return {
    committedSeq: 0,
    pushedSeq: 0,
    pullRequestSeq: 0,
    ci: undefined,
    observed: false,
    usesGit: false,
    loosened: [],
    skippedHooks: false,
  };
}

/** Folds one event into the delivery of a run. */
export function foldDelivery(delivery: Delivery, event: RunEvent): void {
  switch (event.type) {
    case "tool.finished":
      foldCall(delivery, event);
      return;
    case "workspace.observed":
      delivery.observed = true;
      delivery.usesGit = true;
      // A clean tree with commits of this run: everything is committed.
      if (event.filesChanged === 0 && (event.commits ?? 0) > 0) delivery.committedSeq = event.seq;
      return;
    case "check.finished":
      foldReported(delivery, event);
      return;
    default:
      return;
  }
}

function foldCall(delivery: Delivery, event: EventOf<"tool.finished">): void {
  const { meaning, outcome } = event;
  const { activity, parts = [], delivers = [], loosens = [] } = meaning;
  if (outcome === "denied") return;
  if (activity?.startsWith("vcs-") === true || delivers.length > 0) delivery.usesGit = true;
  if (changeLanded(event))
    for (const what of loosens)
      if (!delivery.loosened.includes(what)) pushBounded(delivery.loosened, what, MAX_LOOSENED);
  const failed = callFailed(event);
  const check = checkOf(event);
  if (check?.kind === "ci") delivery.ci = { seq: event.seq, verdict: check.verdict };
  else if (delivers.includes("ci")) {
    // Looking at CI does not fail: its exit code is the verdict.
    const code = notesOf(meaning).exitCode ?? event.exitCode ?? (failed ? 1 : 0);
    delivery.ci = { seq: event.seq, verdict: code === 0 ? "pass" : "fail" };
  }
  if (failed) return;
  // An edit behind the commit of the same line is not in it.
  const seq = parts.lastIndexOf("edit") > parts.lastIndexOf("vcs-write") ? event.seq - 1 : event.seq;
  if (delivers.includes("no-verify")) delivery.skippedHooks = true;
  if (delivers.includes("commit")) delivery.committedSeq = seq;
  if (delivers.includes("push")) delivery.pushedSeq = seq;
  if (delivers.includes("pull-request")) delivery.pullRequestSeq = seq;
}

/** Names hosts give to delivery checks. */
const REPORTED: Readonly<Record<string, "committedSeq" | "pushedSeq" | "pullRequestSeq">> = /* @__PURE__ */ tableOf({
  commit: "committedSeq",
  committed: "committedSeq",
  push: "pushedSeq",
  pushed: "pushedSeq",
  "pull-request": "pullRequestSeq",
  pr: "pullRequestSeq",
});

function foldReported(delivery: Delivery, { check, outcome, seq }: EventOf<"check.finished">): void {
  const name = check.toLowerCase();
  if (name === "ci")
    delivery.ci = { seq, verdict: outcome === "success" ? "pass" : outcome === "failure" ? "fail" : "unknown" };
  const member = REPORTED[name];
  if (member === undefined) return;
  delivery.observed = true;
  if (outcome === "success") delivery[member] = seq;
  else if (outcome === "failure") delivery[member] = 0;
}
