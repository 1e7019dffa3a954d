import { lasting } from './until.ts';

/** About 50 requests per second: few enough that a user's requests do not slow down each other. */
const betweenUsersMs = 20;

/** Statuses of many answers, and the seconds in which 99 % of them arrived. */
export interface Answers {
  statuses: number[];
  p99: number;
}

/** Sends this many requests, one every 20 ms, without waiting for answers. Each answer is timed separately. */
export async function answersTo(send: () => Promise<Response>, count: number): Promise<Answers> {
  const seconds: number[] = [];
  const statuses = new Set<number>();
  const beganMs = performance.now();
  await Promise.all(
    Array.from({ length: count }, async (_, place) => {
      const dueMs = beganMs + place * betweenUsersMs;
      await lasting(dueMs - performance.now());
      const response = await send();
      await response.text();
      seconds.push((performance.now() - dueMs) / 1000);
      statuses.add(response.status);
    }),
  );
  const inOrder = seconds.toSorted((a, b) => a - b);
  return { statuses: [...statuses], p99: inOrder[Math.floor(0.99 * inOrder.length)] ?? 0 };
}
