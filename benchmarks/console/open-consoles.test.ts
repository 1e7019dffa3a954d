import { expect, it } from 'vitest';
import { eventsIn } from './open-consoles.ts';

it('eventsIn counts server-sent events and ignores keep-alive comments', () => {
  const text = ': here\n\nid: 5\nevent: progress\ndata: {}\n\nevent: end\ndata: {}\n\n: here\n\n';
  expect(eventsIn(Buffer.from(text))).toBe(2);
  expect(eventsIn(Buffer.from(': here\n\n'))).toBe(0);
});
