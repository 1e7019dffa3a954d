import type { WaitingParts } from './lanes.ts';
import type { OrderedFile } from './order-rest.ts';

export interface RestTime {
  beganMs: number;
  /** The budget of the whole run. */
  minutes: number;
  nowMs: () => number;
}

/** Starting the servers and one scenario takes about this long. */
const leastMs = 90_000;

/** The ordered files that wait, chosen by the time that is left. */
export class RestQueue implements WaitingParts<OrderedFile> {
  readonly #waiting: OrderedFile[];
  readonly #time: RestTime;

  constructor(files: readonly OrderedFile[], time: RestTime) {
    this.#waiting = [...files];
    this.#time = time;
  }

  /**
   * Returns the next file, or the next that is wanted. Files that the change touches wait behind the turn once half of
   * the time is over, however long they were expected to take. A file that is expected to take longer than what is left
   * is passed over for a shorter one.
   */
  first(isWanted: (file: OrderedFile) => boolean = () => true): OrderedFile | undefined {
    const fitting = this.#waiting.filter((file) => this.#fits(file) && isWanted(file));
    return fitting.find((file) => this.#isNext(file)) ?? fitting[0];
  }

  take(file: OrderedFile): void {
    this.#waiting.splice(this.#waiting.indexOf(file), 1);
  }

  leftMs(): number {
    return this.#time.beganMs + this.#time.minutes * 60_000 - this.#time.nowMs();
  }

  notStarted(): readonly OrderedFile[] {
    return this.#waiting;
  }

  #isNext(file: OrderedFile): boolean {
    const isHalfOver = this.leftMs() < (this.#time.minutes * 60_000) / 2;
    return !(isHalfOver && file.reason === 'touched');
  }

  #fits({ minutes }: OrderedFile): boolean {
    return this.leftMs() >= Math.max(leastMs, minutes * 60_000);
  }
}
