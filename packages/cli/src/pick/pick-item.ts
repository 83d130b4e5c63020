import { cleanText, fitText, safeLine } from "../clean-text.ts";
import { createInlineFrame } from "../render/inline-frame.ts";
import type { Colors } from "../terminal.ts";
import type { Key, TerminalScreen } from "../terminal-screen.ts";

/** The state of a picker. */
interface PickState {
  /** The typed text: items without one of its words are hidden. */
  readonly filter: string;
  /** The place of the selected item among those that match. */
  readonly at: number;
}

/** The result of a key: the next state, or the end. */
type PickStep = PickState | "chosen" | "cancelled";

/** Options for `pickItem()`. */
export interface PickOptions<T> {
  readonly title: string;
  readonly items: readonly T[];
  /** Returns an item as one line. May contain foreign text. */
  readonly text: (item: T) => string;
  readonly screen: TerminalScreen;
  readonly out: (text: string) => void;
  readonly colors: Colors;
  readonly signal: AbortSignal;
  /** Passes the function that draws the list again, for texts that are completed later. */
  readonly onOpen?: (redraw: () => void) => void;
}

const MAX_SHOWN = 12;
const PAGE = 10;

/** Lets the person at the terminal pick an item; `undefined` if they cancel. Leaves nothing of the list behind. */
export function pickItem<T>(options: PickOptions<T>): Promise<T | undefined> {
  const { screen, out, items, text, signal } = options;
  let state: PickState = { filter: "", at: 0 };
  let isOpen = true;
  const frame = createInlineFrame(out);
  const matching = (): readonly T[] => items.filter((item) => matches(text(item), state.filter));
  const draw = (): void => {
    const lines = pickLines(state, {
      ...options,
      texts: matching().map(text),
      total: items.length,
      ...screen.size(),
    }).map(safeLine);
    frame.draw(lines);
  };
  return new Promise((resolve) => {
    const showCursor = screen.during("\u001b[?25l", "\u001b[?25h");
    const stopResize = screen.onResize(draw);
    const end = (item: T | undefined): void => {
      stopKeys();
      stopResize();
      signal.removeEventListener("abort", cancel);
      isOpen = false;
      frame.clear();
      showCursor();
      resolve(item);
    };
    const cancel = (): void => {
      end(undefined);
    };
    const stopKeys = screen.onKey((key) => {
      const found = matching();
      const step = pressKey(state, key, found.length);
      if (step === "cancelled") end(undefined);
      else if (step === "chosen") end(found[state.at]);
      else {
        state = step;
        draw();
      }
    });
    signal.addEventListener("abort", cancel);
    options.onOpen?.(() => {
      if (isOpen) draw();
    });
    draw();
  });
}

/** Returns the step that a key makes among `count` items that match. */
function pressKey(state: PickState, { name, text, ctrl }: Key, count: number): PickStep {
  const last = Math.max(0, count - 1);
  const moveTo = (at: number): PickState => ({ ...state, at: Math.min(last, Math.max(0, at)) });
  const typed = (filter: string): PickState => ({ filter, at: 0 });
  if (ctrl)
    return name === "c" || name === "d"
      ? "cancelled"
      : name === "n"
        ? moveTo(state.at + 1)
        : name === "p"
          ? moveTo(state.at - 1)
          : name === "u"
            ? typed("")
            : state;
  switch (name) {
    case "up":
      return moveTo(state.at - 1);
    case "down":
    case "tab":
      return moveTo(state.at + 1);
    case "pageup":
      return moveTo(state.at - PAGE);
    case "pagedown":
      return moveTo(state.at + PAGE);
    case "home":
      return moveTo(0);
    case "end":
      return moveTo(last);
    case "return":
    case "enter":
      return count === 0 ? state : "chosen";
    case "escape":
      return state.filter === "" ? "cancelled" : typed("");
    case "backspace":
      return typed(Array.from(state.filter).slice(0, -1).join(""));
    default:
      return text === "" ? state : typed(state.filter + cleanKey(text));
  }
}

/** True if a text contains every word of the filter. */
function matches(text: string, filter: string): boolean {
  const within = cleanText(text).toLowerCase();
  return filter
    .toLowerCase()
    .split(" ")
    .every((word) => within.includes(word));
}

/** A pasted text is one key: it must not break the line. */
const cleanKey = (text: string): string => (text === " " ? " " : cleanText(text));

/** Renders the list around the selected item. */
function pickLines(
  { filter, at }: PickState,
  {
    title,
    texts,
    total,
    columns,
    rows,
    colors,
  }: {
    readonly title: string;
    readonly texts: readonly string[];
    readonly total: number;
    readonly columns: number;
    readonly rows: number;
    readonly colors: Colors;
  },
): readonly string[] {
  // A terminal may break a line that fills it.
  const width = columns - 1;
  const room = Math.max(1, Math.min(MAX_SHOWN, rows - 3));
  const first = Math.max(0, Math.min(at - Math.floor(room / 2), texts.length - room));
  const shown = texts.slice(first, first + room).map((text, index) => {
    const isHere = first + index === at;
    const line = fitText(text, width - 2);
    return isHere ? `${colors.cyan("›")} ${colors.bold(line)}` : `  ${line}`;
  });
  const counts = texts.length === total ? String(total) : `${String(texts.length)} of ${String(total)}`;
  return [
    colors.bold(fitText(title, width)),
    ...(shown.length === 0 ? [colors.dim(fitText("  Nothing matches. Backspace removes a letter.", width))] : shown),
    filter === ""
      ? colors.dim(fitText(`${counts} · type to filter · Enter shows · Esc cancels`, width))
      : fitText(`${counts} · filter: ${filter}`, width),
  ];
}
