import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { publishedPackages, root } from "../workspace.ts";
import { readClosure } from "./read-closure.ts";
import { foreignOf, readReasons } from "./render-page.ts";

const packages = publishedPackages();
const closures = packages.map(readClosure);
const foreign = foreignOf(closures);
const page = readFileSync(join(root, "docs/supply-chain.md"), "utf8");

/** The names of a package's row on the page. */
function rowOf(name: string): Readonly<Record<"own" | "others" | "contained", readonly string[]>> {
  const cell = "\\| ([^|]*) ";
  const row = new RegExp(`^\\| \`${name}\` ${cell}${cell}\\|[^|]*${cell}`, "m");
  const [, own = "", others = "", contained = ""] = row.exec(page) ?? [];
  const list = (cell: string): readonly string[] => (/^(?:–|none|)$/.test(cell) ? [] : cell.split(", "));
  return { own: list(own).map((each) => `@phasekit/${each}`), others: list(others), contained: list(contained) };
}

describe("installing one package", () => {
  it.each(closures)("$name brings what the page says and nothing else", ({ name, own, foreign: others, inside }) => {
    const namesOf = (list: typeof others): readonly string[] => list.map((each) => each.name);
    expect(rowOf(name)).toEqual({ own, others: namesOf(others), contained: namesOf(inside) });
  });

  it("core brings nothing, and no package brings one of ours that nothing of it names", () => {
    expect(closures.find(({ name }) => name === "@phasekit/core")).toMatchObject({ own: [], foreign: [] });
  });

  it.each(foreign)("$name $version runs nothing when it is installed, and may be used by everybody", (each) => {
    expect(each.installScripts).toEqual([]);
    expect(each.license).toMatch(/^(?:MIT|ISC|Apache-2\.0|BSD-[23]-Clause|0BSD|BlueOak-1\.0\.0)$/);
  });

  it("the page has the version of each package of others, and a reason for each that ours name", () => {
    for (const { name, version, neededBy } of foreign) {
      expect(page).toContain(`| \`${name}\` | ${version} |`);
      if (packages.some((ours) => ours.name === neededBy)) expect(Object.keys(readReasons())).toContain(name);
    }
  });

  it("no reason is left for a package that is gone", () => {
    const names = new Set(foreign.map(({ name }) => name));
    expect(Object.keys(readReasons()).filter((name) => !names.has(name))).toEqual([]);
  });
});
