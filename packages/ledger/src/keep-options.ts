/** Options for `keepRun()`. All optional. */
export interface KeepOptions {
  /** The folder that `phasekit why` and `phasekit runs` look into. @default ".phasekit/runs" */
  readonly folder?: string;
  /** Leaves out the closing line, as the environment variable `PHASEKIT_QUIET` does. @default false */
  readonly quiet?: boolean;
  /** Called when the run cannot be stored. @default a process warning */
  readonly onError?: (problem: unknown) => void;
}
