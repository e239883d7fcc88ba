import type { Forge } from "#core/forge";
import type { Table } from "#core/table";

/** Lets a test change the table as the API's next request sees it: what happens between two of that request's steps. */
export function changeNextRequest({ table }: Forge, change: (view: Table) => void): void {
  const { countedBy } = table;
  table.countedBy = (count) => {
    table.countedBy = countedBy;
    const view = countedBy.call(table, count);
    change(view);
    return view;
  };
}
