import { isSamePath, type NotedError } from "@phasekit/core/account";
import type { StallEntry, StallState } from "./stall-state.ts";

/** The obstacle of a stalled agent, as its calls show it, and what it can do about it. */
export interface StallCause {
  readonly name: NonNullable<NotedError["cause"]> | "elsewhere" | "red-before" | "no-difference" | "unchanged";
  /** One or two sentences for the agent. Contains foreign text: names of programs and files. */
  readonly text: string;
}

type CauseState = Pick<StallState, "recent" | "edited" | "known" | "redBefore" | "unmoved">;
type Namer = (state: CauseState, failed: readonly StallEntry[]) => StallCause | undefined;

/** How many failures show a cause. One may be a slip. */
const ENOUGH = 2;
/** Failures a cause is looked for in: those that are fresh. */
const LAST = 6;

/** Names the cause of a stall from its calls; the first that is shown wins. `undefined` if the calls show none. */
export function nameCause(state: CauseState): StallCause | undefined {
  const failed = state.recent.filter((entry) => entry.failed).slice(-LAST);
  // A cause that is gone explains nothing.
  if (state.recent.at(-1)?.failed !== true) return nameUnchanged(state.recent);
  if (failed.length < ENOUGH) return undefined;
  for (const name of NAMERS) {
    const cause = name(state, failed);
    if (cause !== undefined) return cause;
  }
  return undefined;
}

/** The traceback names another copy of a file that was edited: the change does not reach the program that runs. */
const nameElsewhere: Namer = ({ edited }, failed) => {
  const files = failed.at(-1)?.error?.files ?? [];
  for (const file of edited.keys()) {
    if (file === "" || files.some((shown) => isSamePath(shown, file))) continue;
    const copy = files.find((shown) => nameOf(shown) === nameOf(file) && parentOf(shown) === parentOf(file));
    if (copy !== undefined)
      return {
        name: "elsewhere",
        text:
          `The error comes from ${copy}, and you changed ${file}: your change does not reach the program ` +
          "that runs. Change the copy that runs, or install yours.",
      };
  }
  return undefined;
};

/** Most of the fresh failures give the same reason. */
const nameReason: Namer = ({ known }, failed) => {
  const last = failed.at(-1)?.error;
  if (last?.cause === undefined) return undefined;
  const alike = failed.filter(({ error }) => error?.cause === last.cause);
  const same = alike.filter(({ error }) => error?.subject === last.subject);
  // Things that are not there one after the other are one cause too.
  if (same.length < ENOUGH && alike.length <= ENOUGH) return undefined;
  return { name: last.cause, text: REASONS[last.cause](last, known) };
};

/** Questions get the same answers, because nothing was changed in between, or one edit is made again and again. */
function nameUnchanged(recent: readonly StallEntry[]): StallCause | undefined {
  const again = recent.filter(({ repeated, waiting }) => repeated && !waiting);
  const last = recent.at(-1);
  if (again.length < ENOUGH || last?.repeated !== true) return undefined;
  return {
    name: "unchanged",
    text: last.edits
      ? "You have made this very edit before. Look at the file before you make it again."
      : "You have had the answer to your last call before, and nothing new was changed since. Use it: take the next " +
        "step, or look somewhere else.",
  };
}

/** The check was red before the first change, and is red in the same way. */
const nameRedBefore: Namer = ({ redBefore, edited }, failed) => {
  const last = failed.at(-1);
  if (last?.effect !== "check" || edited.size === 0 || !redBefore.has(last.about)) return undefined;
  return {
    name: "red-before",
    text:
      "This check failed before your first change too. Compare the two failures: what was red before may not " +
      "be yours to fix. Check your own change with a test of its own.",
  };
};

/** One failure after several changes. */
const nameNoDifference: Namer = ({ unmoved }, failed) =>
  unmoved >= ENOUGH && failed.at(-1)?.effect === "check"
    ? {
        name: "no-difference",
        text:
          "Your last changes made no difference to it. Find out whether the changed code runs at all: print " +
          "something there, or change the place that the error names.",
      }
    : undefined;

const NAMERS: readonly Namer[] = [nameElsewhere, nameReason, nameRedBefore, nameNoDifference];

const MACHINE = "Another try will fail too. Work where you may, or say what is missing.";

const REASONS: {
  readonly [Name in NonNullable<NotedError["cause"]>]: (error: NotedError, known: ReadonlyMap<string, true>) => string;
} = {
  syntax: () =>
    "The editor refuses the edit because of the error it names. Look at that error and at the indentation, and " +
    "send the whole block again.",
  quoting: () =>
    "The shell cannot read what you sent: its quotes or brackets do not match, or it is no command. Write text and " +
    "code to a file with your editor, or use a here-document with a quoted end mark.",
  format: () =>
    "Your call does not have the form the tool asks for. Read its description, and send that form and nothing else.",
  prose: () => "You sent a sentence to a shell. Send a command, or say it as an answer.",
  "old-text": () =>
    "The old text of your edit is not in the file as you wrote it. Read these lines again and copy them " +
    "exactly, with their spaces, or replace a smaller piece.",
  ambiguous: () =>
    "The old text of your edit is in the file more than once. Add the lines around it, so that it fits one place only.",
  "same-text": () =>
    "The old and the new text of your edit are the same, so it changes nothing. Write what is to be there.",
  program: ({ subject = "The program" }) =>
    `\`${subject}\` is missing here. Use what is there, install it if you may, or say that it cannot be run.`,
  module: ({ subject = "A module" }) =>
    `There is no module \`${subject}\` here. Check its name and the environment you run in, install it if you may, ` +
    "or do without it.",
  path: ({ subject = "The path" }, known) => {
    const near = nearestPath(subject, known);
    const where = near === undefined ? "List its folder and take the name from there." : `You have seen \`${near}\`.`;
    return `\`${subject}\` does not exist. ${where}`;
  },
  filter: () => "The filter of your test run finds no test. List the tests and take a name from there.",
  input: () => "The command waits for input that does not come. Pass the answer as an option or through a pipe.",
  "read-only": () => `The file system is read-only here. ${MACHINE}`,
  disk: () => `The disk is full. ${MACHINE}`,
  network: () => `There is no network here. ${MACHINE}`,
  permission: () => `You may not do this here. ${MACHINE}`,
};

const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
const parentOf = (path: string): string => nameOf(path.slice(0, Math.max(0, path.lastIndexOf("/"))));

/** A known path with the same name in another folder. */
function nearestPath(wanted: string, known: ReadonlyMap<string, true>): string | undefined {
  const name = nameOf(wanted);
  return name === "" ? undefined : [...known.keys()].findLast((path) => nameOf(path) === name && path !== wanted);
}
