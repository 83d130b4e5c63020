import type { LoopCase } from "../case-driver.ts";
import rows from "./eighth-batch.json" with { type: "json" };
import { fires, type Kind, staysSilent } from "./kind.ts";

const of = (consensus: LoopCase["consensus"]) => (rows as unknown as readonly LoopCase[]).filter((row) => row.consensus === consensus).map(({ events }) => events);

/** Sixty loops and eighty healthy runs by somebody who had never seen the detectors, unchanged. */
export const eighthBatch: readonly Kind[] = [fires("loops of all kinds, eighth batch", ...of("fire")), staysSilent("healthy runs of all kinds, eighth batch", ...of("silent"))];
