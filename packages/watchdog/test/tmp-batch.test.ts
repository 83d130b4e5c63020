import { readFileSync, writeFileSync } from "node:fs";
import { it } from "vitest";
import { firstAlert, type LoopCase } from "./case-driver.ts";
it("batches", () => {
  for (const n of (process.env["BATCHES"] ?? "").split(",")) {
    const rows = JSON.parse(readFileSync(`/tmp/fresh${n}/batch${n}.json`, "utf8")) as LoopCase[];
    let caught = 0, loops = 0, alarms = 0, healthy = 0;
    const lines: string[] = [];
    for (const row of rows) {
      const alert = firstAlert(row.events);
      const { kind } = row.expected;
      if (row.consensus === "fire") { loops += 1; if (alert) caught += 1; else lines.push(`MISS ${row.id} [${kind}] ${row.name} (${row.events.length})`); }
      else { healthy += 1; if (alert) { alarms += 1; lines.push(`ALARM ${row.id} ${row.name} -> ${alert.kind} at ${alert.at} of ${row.events.length}`); } }
    }
    lines.push(`caught ${caught}/${loops} alarms ${alarms}/${healthy}`);
    writeFileSync(`/tmp/fresh${n}/result.txt`, lines.join("\n") + "\n");
    console.log(n, lines.join("\n"));
  }
}, 60000);
