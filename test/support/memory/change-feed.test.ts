import { describeChangeFeed } from '../conformance/change-feed.conformance.ts';
import { createMemoryChangeFeed } from './change-feed.ts';

describeChangeFeed('in memory', () => {
  const changes = createMemoryChangeFeed();
  const told = (tell: () => void) => {
    tell();
    return Promise.resolve();
  };
  return Promise.resolve({
    changes,
    change: (kind) => told(() => changes.announce(kind)),
    interrupt: () => told(() => changes.lose()),
    restore: () => told(() => changes.restore()),
  });
});
