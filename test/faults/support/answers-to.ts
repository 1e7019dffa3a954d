import { lasting } from './until.ts';

/** Some 50 a second: a user's answers are not slow because others of theirs are under way. */
const betweenUsersMs = 20;

/** The statuses of many answers, and in how many seconds 99 % of them came. */
export interface Answers {
  statuses: number[];
  p99: number;
}

/**
 * Answers to so many requests, one each 20 ms, whatever becomes of the others. Each has its own time, however long
 * others take.
 */
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
