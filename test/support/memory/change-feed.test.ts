import { describeChangeFeed } from '../conformance/change-feed.conformance.ts';
import { createMemoryChangeFeed } from './change-feed.ts';

describeChangeFeed('in memory', () => {
  const changes = createMemoryChangeFeed();
  const notified = (tell: () => void) => {
    tell();
    return Promise.resolve();
  };
  return Promise.resolve({
    changes,
    change: (kind) => notified(() => changes.announce(kind)),
    interrupt: () => notified(() => changes.lose()),
    restore: () => notified(() => changes.restore()),
  });
});
