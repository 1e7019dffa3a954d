import { describeNotices } from '../conformance/notices.conformance.ts';
import { createMemoryNotices } from './notices.ts';

describeNotices('in memory', () => {
  const notices = createMemoryNotices();
  const told = (tell: () => void) => {
    tell();
    return Promise.resolve();
  };
  return Promise.resolve({
    notices,
    change: (kind) => told(() => notices.tell(kind)),
    interrupt: () => told(() => notices.lose()),
    restore: () => told(() => notices.restore()),
  });
});
