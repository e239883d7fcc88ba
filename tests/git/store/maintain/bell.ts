/** Lets others wait for the next time that something happens. */
export class Bell {
  #waiting: (() => void)[] = [];
  readonly next = () => new Promise<void>((resolve) => this.#waiting.push(resolve));
  ring(): void {
    for (const one of this.#waiting.splice(0)) one();
  }
}
