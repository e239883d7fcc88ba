/** The page that a list is asked for, counted from 1, and its size. */
export interface PageRequest {
  readonly page: number;
  readonly limit: number;
}

/** The rows of a whole list that stand on the page. */
export const rowsOfPage = <Row>(rows: readonly Row[], { page, limit }: PageRequest): Row[] =>
  rows.slice((page - 1) * limit, page * limit);
