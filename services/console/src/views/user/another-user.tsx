import { useNavigate } from '@tanstack/react-router';
import { useRef, type SubmitEvent } from 'react';
import { Icon } from '../../parts/icon/icon.tsx';
import { useKeys } from '../../parts/keys/use-keys.ts';

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
    <form className="row ml-auto" onSubmit={submit} role="search">
      <label className="inp w-64 phone:flex-1 phone:w-auto phone:h-10">
        <span className="sr-only">Another user of this run</span>
        <Icon name="search" size={14} />
        <input ref={field} placeholder="Another user of this run" autoComplete="off" spellCheck={false} />
        <kbd className="wide" aria-hidden="true">
          /
        </kbd>
      </label>
    </form>
  );
}
