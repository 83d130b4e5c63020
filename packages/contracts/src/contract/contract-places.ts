import type { Contract } from "./contract-schema.ts";

/** The names in a contract: its phase, the next one, checks and triggers. */
export type ContractNames = Pick<Contract, "phase" | "next_phase" | "done_when" | "file"> & {
  readonly validation: Pick<Contract["validation"], "structural_checks" | "escalate_if">;
};

/** The names in a contract that may have mistakes: an unknown one is `undefined`. */
export type NamesDraft = Omit<ContractNames, "phase" | "next_phase"> & {
  readonly phase: string | undefined;
  readonly next_phase: string | null | undefined;
};

/** True if a contract says which phase it is for, and which comes next. */
export const isComplete = (names: NamesDraft | undefined): names is ContractNames =>
  names?.phase !== undefined && names.next_phase !== undefined;

/** A place in a file, from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

type FindPlace = (path: readonly PropertyKey[]) => Place;

// Beside the contracts, so that these stay plain data and a check of the set knows where each name is written.
const places = new WeakMap<NamesDraft, FindPlace>();

/** Remembers where the fields of a contract are written. */
export const notePlaces = <T extends NamesDraft>(contract: T, find: FindPlace): T => {
  places.set(contract, find);
  return contract;
};

/** The place of a field; the beginning of the file for a contract that was not read from one, and for none. */
export const placeOf = (contract: NamesDraft | undefined, path: readonly PropertyKey[]): Place =>
  places.get(contract as NamesDraft)?.(path) ?? { line: 1, column: 1 };
