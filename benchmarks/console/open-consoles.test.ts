import { expect, it } from 'vitest';
import { eventsIn } from './open-consoles.ts';

it('counts events, and no lines that only say that the server is there', () => {
  const text = ': here\n\nid: 5\nevent: progress\ndata: {}\n\nevent: end\ndata: {}\n\n: here\n\n';
  expect(eventsIn(Buffer.from(text))).toBe(2);
  expect(eventsIn(Buffer.from(': here\n\n'))).toBe(0);
});
