import { describeGrowth, type HostileText } from "@phasekit/tooling/growth";
import { describe, expect, it } from "vitest";
import { readShell } from "./read-shell.ts";

const behind = (head: string, fragment: string): HostileText => ({
  name: `${JSON.stringify(head)} before ${JSON.stringify(fragment)}`,
  make: (length) => head + fragment.repeat(Math.ceil(length / fragment.length)),
});

const nested = [
  '"$(eval a ',
  '"$(ssh a ',
  '"$(bash -c ',
  "<(bash -c ",
  "<(eval a ",
  "$(eval a ",
  "`eval a ",
  "$(eval ",
];
const runs = [
  "&",
  "&&",
  "|",
  "||",
  ";",
  "a&",
  "a || ",
  "a | ",
  "(",
  "((",
  "{ ",
  "${",
  "$((",
  "a",
  "'",
  '"',
  "\\",
  "\n",
];

describeGrowth([{ name: "readShell", read: readShell }], {
  texts: [
    ...[...nested, ...runs].map((fragment) => behind("", fragment)),
    ...runs.map((fragment) => behind("cat <<'E' > a\nx\nE\n", fragment)),
    behind("case a in ", "${);;"),
    behind(`${"a=1;".repeat(200)}echo `, "$a"),
    behind(`${"a=1;".repeat(200)}echo `, "$a "),
  ],
});

describe("readShell reads each command of a line once", () => {
  it.each([
    ['bash -c "$(cat a.sh)"', ["read"], undefined],
    ['eval "$(npm test)"', ["test"], "test"],
    ["docker run -v \"$(pwd)\":/app node sh -c 'out=$(npm test)'", ["read", "test"], "test"],
    ["bash -c 'bash -c \"npm test\"'", ["test"], "test"],
  ])("%s", (line, parts, check) => {
    const reading = readShell(line);
    expect(reading.parts.filter((part) => part !== "run")).toEqual(parts);
    expect(reading.check?.kind).toBe(check);
  });
});
