/** One row of the table: how often the product says the same as the reader. */
export interface Row {
  readonly name: string;
  n: number;
  right: number;
  /** The labels leave the answer open, or the product has no word for it: listed, not counted. */
  aside: boolean;
  readonly list: string[];
}

/** Counts answers by row. */
export interface Score {
  readonly rows: ReadonlyMap<string, Row>;
  /** The reader's letter → the product's activity → calls. */
  readonly matrix: ReadonlyMap<string, ReadonlyMap<string, number>>;
  readonly count: (name: string, right: boolean, listed: readonly [file: string, words: string]) => boolean;
  readonly aside: (name: string, file: string, words: string) => void;
  readonly cell: (letter: string, activity: string) => void;
}

export function createScore(): Score {
  const rows = new Map<string, Row>();
  const matrix = new Map<string, Map<string, number>>();
  const row = (name: string): Row => {
    const found = rows.get(name) ?? { name, n: 0, right: 0, aside: false, list: [] };
    rows.set(name, found);
    return found;
  };
  const note = (to: Row, file: string, words: string): void => {
    to.list.push(`${shortName(file)}: ${hideHomes(words)}`);
  };
  return {
    rows,
    matrix,
    count: (name, right, [file, words]) => {
      const to = row(name);
      to.n += 1;
      if (right) to.right += 1;
      else note(to, file, words);
      return right;
    },
    aside: (name, file, words) => {
      const to = row(name);
      to.n += 1;
      to.aside = true;
      note(to, file, words);
    },
    cell: (letter, activity) => {
      const cells = matrix.get(letter) ?? new Map<string, number>();
      matrix.set(letter, cells.set(activity, (cells.get(activity) ?? 0) + 1));
    },
  };
}

/** The name of a log without its ending and most of its id. */
export function shortName(file: string): string {
  return file.replace(/\.jsonl?\.gz$/, "").replace(/^([^_]+__[^_]+__\w{8})[\w-]*$/, "$1");
}

export function hideHomes(text: string): string {
  return text.replace(/(?:\/Users|\/home|\w:\\+Users)[\\/]+[\w.-]+/g, "~");
}

const GROUPS = [
  "last work",
  "verified",
  "veto at",
  "veto where",
  "checks taken out",
  "`echo ok`",
  "end reason",
  "ended in",
  "loops told",
  "loops labelled",
];

/** The rows in the order of the table; sums of the rows that have parts come before them. */
export function orderRows({ rows }: Score): readonly (Row & { readonly isPart: boolean })[] {
  const named = (prefix: string): readonly Row[] =>
    [...rows.values()].filter(({ name }) => name.startsWith(prefix)).sort((a, b) => b.n - a.n);
  const parts = (name: string, prefix: string, found = named(prefix)): readonly (Row & { isPart: boolean })[] => {
    const sum = { name, n: 0, right: 0, aside: false, list: [], isPart: false };
    for (const { n, right } of found) {
      sum.n += n;
      sum.right += right;
    }
    return [sum, ...found.map((each) => ({ ...each, isPart: true }))];
  };
  const whole = (prefix: string): readonly (Row & { isPart: boolean })[] =>
    [...named(prefix)].sort((a, b) => a.name.length - b.name.length).map((each) => ({ ...each, isPart: false }));
  return [
    ...GROUPS.flatMap(whole),
    ...parts("check seen", "check seen: "),
    ...parts("check verdict", "check verdict: "),
    ...whole("check is one"),
    ...parts(
      "activity per call",
      "activity ",
      ["E", "P", "A", "V", "D", "W"].flatMap((letter) => named(`activity ${letter}`)),
    ),
  ].filter(({ n }) => n > 0);
}
