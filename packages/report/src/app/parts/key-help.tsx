import type { JSX } from "preact";
import type { Route } from "../route.ts";

type Keys = readonly (readonly [key: string, what: string])[];

const KEYS: Readonly<Record<Route["page"], Keys>> = {
  folder: [
    ["/", "search"],
    ["j, k", "next and previous row"],
    ["Enter", "open the row"],
    ["x", "select it for a comparison, or close the group"],
    ["c", "compare the two selected runs"],
    ["g", "group by project"],
    ["Esc", "leave the search, then the row, then clear the filter"],
  ],
  run: [
    ["/", "search"],
    ["j, k", "next and previous event"],
    ["], [", "next and previous loop"],
    ["Esc", "leave the search, close the event, then the phase"],
  ],
  compare: [],
};

/** The keys of a page. */
export function KeyHelp({ page }: { readonly page: Route["page"] }): JSX.Element {
  const keys: Keys = [...KEYS[page], ["?", "this list"]];
  return (
    <aside class="help" aria-label="Keys">
      <dl>
        {keys.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </aside>
  );
}
