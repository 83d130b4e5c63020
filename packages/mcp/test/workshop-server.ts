import { appendFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { defineServer } from "../src/index.ts";
import { openWorkshop } from "./workshop.ts";

// What the bin is given in tests: the folder comes from outside, and what happens at the end is left behind.
export default defineServer(async () => {
  const folder = process.env["WORKSHOP_FOLDER"] ?? "";
  const { definition, run } = await openWorkshop(folder);
  console.log("a careless line that must not reach the protocol");
  return {
    ...definition,
    close: async () => {
      await definition.close?.();
      appendFileSync(join(folder, "closed.txt"), `${run.outcome?.reason ?? "open"}\n`);
    },
  };
});
