import type { EventOf } from "@phasekit/core";
import { isUnread, notesOf, type Observers, tableOf } from "@phasekit/core/kit";
import { isLostResult, isScratch, landsEdit } from "./work-done.ts";

/** How far the work was delivered: positions in the log. 0 means never. */
export interface DeliveryLog {
  lastEditSeq: number;
  /** The last call that could not be read: it may have changed anything. */
  lastUnreadSeq: number;
  committedSeq: number;
  pushedSeq: number;
  pullRequestSeq: number;
  /** The last CI result that was seen or reported. */
  ci: { readonly seq: number; readonly verdict: "pass" | "fail" | "unknown" } | undefined;
  /** True if the host reports the workspace, so that a missing commit is known to be missing. */
  observed: boolean;
  /** True if a command of the version control system was seen. */
  usesGit: boolean;
  readonly loosened: string[];
  skippedHooks: boolean;
}

const MAX_LOOSENED = 16;
const NO_FILES: ReadonlySet<string> = new Set();

/** State and observers for a gate about delivery. */
export function ownDelivery(): { readonly initial: () => DeliveryLog; readonly observe: Observers<DeliveryLog> } {
  return {
    initial: () => ({
      lastEditSeq: 0,
      lastUnreadSeq: 0,
      committedSeq: 0,
      pushedSeq: 0,
      pullRequestSeq: 0,
      ci: undefined,
      observed: false,
      usesGit: false,
      loosened: [],
      skippedHooks: false,
    }),
    observe: {
      "tool.finished": foldCall,
      "event.rejected": (log, event) => {
        if (isLostResult(event)) log.lastUnreadSeq = event.seq;
      },
      "workspace.observed": foldWorkspace,
      "check.finished": foldReported,
    },
  };
}

function foldCall(log: DeliveryLog, event: EventOf<"tool.finished">): void {
  const { meaning, outcome, seq } = event;
  const { activity, parts = [], delivers = [], loosens = [] } = meaning;
  if (outcome === "denied") return;
  if (isUnread(event)) log.lastUnreadSeq = seq;
  if (activity?.startsWith("vcs-") === true || delivers.length > 0) log.usesGit = true;
  if (landsEdit(meaning, outcome) && !isScratch(NO_FILES, meaning)) {
    const isLater = delivers.length === 0 || parts.lastIndexOf("edit") > parts.lastIndexOf("vcs-write");
    log.lastEditSeq = isLater ? seq : seq - 1;
    for (const what of loosens)
      if (log.loosened.length < MAX_LOOSENED && !log.loosened.includes(what)) log.loosened.push(what);
  }
  const failed = outcome === "error" || notesOf(meaning).failed === true;
  if (delivers.includes("ci")) log.ci = { seq, verdict: failed ? "fail" : "pass" };
  if (failed) return;
  if (delivers.includes("no-verify")) log.skippedHooks = true;
  if (delivers.includes("commit")) log.committedSeq = seq;
  if (delivers.includes("push")) log.pushedSeq = seq;
  if (delivers.includes("pull-request")) log.pullRequestSeq = seq;
}

function foldWorkspace(log: DeliveryLog, { filesChanged, commits, seq }: EventOf<"workspace.observed">): void {
  log.observed = true;
  log.usesGit = true;
  // A clean tree with commits of this run: everything is committed.
  if (filesChanged === 0 && (commits ?? 0) > 0) log.committedSeq = seq;
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

function foldReported(log: DeliveryLog, { check, outcome, seq }: EventOf<"check.finished">): void {
  const name = check.toLowerCase();
  if (name === "ci")
    log.ci = { seq, verdict: outcome === "success" ? "pass" : outcome === "failure" ? "fail" : "unknown" };
  const member = REPORTED[name];
  if (member === undefined) return;
  log.observed = true;
  if (outcome === "success") log[member] = seq;
  else if (outcome === "failure") log[member] = 0;
}
