/** A text an agent may read, independent of any framework. */
export interface PlainResource {
  readonly uri: string;
  readonly name: string;
  readonly description?: string;
  /** @default "text/markdown" */
  readonly mimeType?: string;
  /** Called for every read, so the text is always current. */
  readonly read: () => string | Promise<string>;
}

interface AnyContract {
  readonly phase: string;
  readonly body: string;
}

/**
 * Converts contracts to resources, one per phase, so that an agent can look up what its phase must deliver.
 *
 * @example
 * contractResources(contracts, { render: (contract) => renderContractPrompt(contract, { identifier: "STORY-7" }) })
 */
export function contractResources<TContract extends AnyContract>(
  { byPhase }: { readonly byPhase: Readonly<Record<string, TContract>> },
  {
    render = ({ body }) => body,
  }: {
    /** The text of a contract. @default its body, without the front matter */
    readonly render?: (contract: TContract) => string;
  } = {},
): readonly PlainResource[] {
  return Object.values(byPhase).map((contract) => ({
    uri: `phasekit://contracts/${encodeURIComponent(contract.phase)}`,
    name: `Contract of phase "${contract.phase}"`,
    description: `What the phase "${contract.phase}" must deliver.`,
    read: () => render(contract),
  }));
}
