import { InvalidArgumentError } from 'commander';

export function wholeNumber(value: string): number {
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new InvalidArgumentError('It has to be a whole number from 1.');
  return Number(value);
}

/** For options that may be given several times. */
export function collect(value: string, earlier: string[] | undefined): string[] {
  return [...(earlier ?? []), value];
}
