/** A test as its file's text shows it; `title` holds those of the `describe`s around it, too. */
export interface TitledTest {
  /** From the project's folder. */
  readonly file: string;
  readonly line: number;
  readonly title: string;
}

/** Every test of the project. */
export function testTitles(): readonly TitledTest[];
