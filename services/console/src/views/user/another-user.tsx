import { useNavigate } from '@tanstack/react-router';
import { useRef, type SubmitEvent } from 'react';
import { Icon } from '../../parts/icon/icon.tsx';
import { useKeys } from '../../parts/keys/use-keys.ts';
import styles from './user.module.css';

/** The same question of somebody else. */
export function AnotherUser({ runId }: { runId: string }) {
  const navigate = useNavigate();
  const field = useRef<HTMLInputElement>(null);
  const focus = () => field.current?.focus();
  useKeys([
    { keys: '/', does: 'Another user of this run', group: 'This page', run: focus },
    { keys: 'E', does: 'Explain a user', group: 'This page', run: focus },
  ]);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const userId = field.current?.value ?? '';
    if (userId === '') return;
    void navigate({ to: '/runs/$runId/users/$userId', params: { runId, userId } });
  };
  return (
    <form className="row push" onSubmit={submit} role="search">
      <label className={`inp ${styles['another'] ?? ''}`}>
        <span className="vh">Another user of this run</span>
        <Icon name="search" size={14} />
        <input ref={field} placeholder="Another user of this run" autoComplete="off" spellCheck={false} />
        <kbd className="wide" aria-hidden="true">
          /
        </kbd>
      </label>
    </form>
  );
}
