/** The work that a process of the comparison of workers is asked to do. */
export interface ClaimOrder {
  readonly schema: string;
  readonly how: "own" | "boss" | "hooks";
}

/** The queue of pg-boss. */
export const BOSS_QUEUE = "claims";
