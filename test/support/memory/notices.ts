import type { NoticeKind, Notices } from '../../../shared/ports/notices.ts';

/** Notices of one process, told by the test. */
export interface MemoryNotices extends Notices {
  tell(kind: NoticeKind): void;
  /** Nothing is heard until `restore`. */
  lose(): void;
  restore(): void;
}

export function createMemoryNotices(): MemoryNotices {
  const listeners = new Map<NoticeKind, (() => void)[]>();
  let isHearing = true;
  const tellAll = () => {
    for (const listener of [...listeners.values()].flat()) listener();
  };
  return {
    on: (kind, listener) => void listeners.set(kind, [...(listeners.get(kind) ?? []), listener]),
    isHearing: () => isHearing,
    tell: (kind) => {
      if (isHearing) for (const listener of listeners.get(kind) ?? []) listener();
    },
    lose: () => {
      isHearing = false;
      tellAll();
    },
    restore: () => {
      isHearing = true;
      tellAll();
    },
  };
}
