/** Ways in which stored bytes go wrong. Each gives other bytes, or `undefined` where it does not apply. */
export const corruptions: Readonly<Record<string, (bytes: Buffer, random: () => number) => Buffer | undefined>> = {
  "a flipped bit": (bytes, random) => {
    const copy = Buffer.from(bytes);
    const at = Math.floor(random() * copy.length);
    copy[at] = (copy[at] ?? 0) ^ (1 << Math.floor(random() * 8));
    return copy;
  },
  "a changed byte": (bytes, random) => {
    const copy = Buffer.from(bytes);
    const at = Math.floor(random() * copy.length);
    copy[at] = ((copy[at] ?? 0) + 1 + Math.floor(random() * 255)) % 256;
    return copy;
  },
  "a changed digit": (bytes, random) => {
    const copy = Buffer.from(bytes);
    const start = Math.floor(random() * copy.length);
    const at = copy.subarray(start).findIndex((byte) => byte >= 48 && byte <= 57);
    if (at < 0) return undefined;
    copy[start + at] = 48 + (((copy[start + at] ?? 48) - 48 + 1 + Math.floor(random() * 9)) % 10);
    return copy;
  },
  "a run of NULs": (bytes, random) => {
    const at = Math.floor(random() * bytes.length);
    return Buffer.from(bytes).fill(0, at, Math.min(bytes.length, at + 1 + Math.floor(random() * 512)));
  },
  "a deleted line": (bytes, random) => withLines(bytes, random, (lines, at) => lines.toSpliced(at, 1)),
  "a doubled line": (bytes, random) => withLines(bytes, random, (lines, at) => lines.toSpliced(at, 0, lines[at] ?? "")),
  "two lines swapped": (bytes, random) =>
    withLines(bytes, random, (lines, at) => {
      const other = Math.floor(random() * lines.length);
      return lines.with(at, lines[other] ?? "").with(other, lines[at] ?? "");
    }),
  "an inserted line": (bytes, random) =>
    withLines(bytes, random, (lines, at) => lines.toSpliced(at, 0, '{"type":"turn.started","seq":3,"at":1}')),
  "a missing line end": (bytes, random) => {
    const ends = [...bytes.keys()].filter((at) => bytes[at] === 10);
    const at = ends[Math.floor(random() * ends.length)] ?? 0;
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)]);
  },
  "two blocks swapped": (bytes, random) => {
    if (bytes.length < 2048) return undefined;
    const copy = Buffer.from(bytes);
    const blocks = Math.floor(bytes.length / 512);
    const [a, b] = [Math.floor(random() * blocks) * 512, Math.floor(random() * blocks) * 512];
    copy.set(bytes.subarray(a, a + 512), b);
    copy.set(bytes.subarray(b, b + 512), a);
    return copy;
  },
  "a cut": (bytes, random) => bytes.subarray(0, Math.floor(random() * bytes.length)),
  "bytes behind the end": (bytes) => Buffer.concat([bytes, Buffer.from('{"type":"turn.started"')]),
  "line ends of Windows": (bytes) => Buffer.from(bytes.toString("latin1").replaceAll("\n", "\r\n"), "latin1"),
  "a byte order mark": (bytes) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]),
  "all zeros": (bytes) => Buffer.alloc(bytes.length),
};

function withLines(
  bytes: Buffer,
  random: () => number,
  change: (lines: readonly string[], at: number) => readonly string[],
): Buffer {
  const lines = bytes.toString("latin1").split("\n");
  return Buffer.from(change(lines, Math.floor(random() * (lines.length - 1))).join("\n"), "latin1");
}
