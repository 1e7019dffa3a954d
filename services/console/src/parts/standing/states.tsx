import type { ReactNode } from 'react';
import { formatSentence } from '../words/figures.ts';
import { problemOf } from '../../api/problems.ts';
import { Button } from '../controls/button.tsx';
import { CopyButton, shortId } from '../controls/copy-button.tsx';
import { Icon, type IconName } from '../icon/icon.tsx';

interface StateMessageProps {
  icon: IconName;
  tone?: 'bad';
  title: string;
  children: ReactNode;
  actions?: ReactNode;
}

function StateMessage({ icon, tone, title, children, actions }: StateMessageProps) {
  return (
    <div className="state-message">
      <span className={tone === 'bad' ? 'c-bad' : 't3'}>
        <Icon name={icon} />
      </span>
      <b>{title}</b>
      <p className="t2">{children}</p>
      {actions !== undefined && <div className="row flex-wrap">{actions}</div>}
    </div>
  );
}

interface EmptyProps {
  icon: IconName;
  title: string;
  /** Describes the content that appears here, and how to add it. */
  children: ReactNode;
  action?: ReactNode;
  /** Equivalent CLI command, on pages for engineers. */
  command?: string;
}

/** Message of a list that has never had entries. */
export function Empty({ icon, title, children, action, command }: EmptyProps) {
  return (
    <StateMessage
      icon={icon}
      title={title}
      actions={
        <>
          {action}
          {command !== undefined && (
            <span className="row t3 sm">
              On the command line
              <code className="py-1 px-2 border border-line rounded-md text-quiet">{command}</code>
              <CopyButton text={command} label="Copy the command" />
            </span>
          )}
        </>
      }
    >
      {children}
    </StateMessage>
  );
}

interface NoMatchProps {
  title: string;
  children: ReactNode;
  /** The filter that the user should remove first: its name, and the function that removes it. */
  drop?: { name: string; onDrop: () => void };
  onClear: () => void;
}

export function NoMatch({ title, children, drop, onClear }: NoMatchProps) {
  return (
    <StateMessage
      icon="search"
      title={title}
      actions={
        <>
          {drop && <Button onClick={drop.onDrop}>Drop “{drop.name}”</Button>}
          <Button kind={drop ? 'ghost' : 'plain'} onClick={onClear}>
            Clear all filters
          </Button>
        </>
      }
    >
      {children}
    </StateMessage>
  );
}

interface FailedProps {
  title: string;
  error: unknown;
  onRetry?: () => void;
  /** Describes whether anything was changed. */
  note?: string;
}

/** Message of a failed request: the reason, whether anything was changed, what to do, and an id to quote. */
export function Failed({ title, error, onRetry, note = 'Nothing was changed.' }: FailedProps) {
  const { detail, requestId, status, code } = problemOf(error);
  if (status === 403) return <Forbidden title={title}>{formatSentence(detail)}</Forbidden>;
  return (
    <div role="alert">
      <StateMessage
        icon={code === 'not-found' ? 'search' : 'failed'}
        {...(code !== 'not-found' && { tone: 'bad' as const })}
        title={title}
        actions={
          <>
            {onRetry && (
              <Button icon="retry" onClick={onRetry}>
                Try again
              </Button>
            )}
            {requestId !== '' && (
              <>
                <span className="mono xs t3">request {shortId(requestId)}</span>
                <CopyButton text={requestId} label="Copy the request id" />
              </>
            )}
          </>
        }
      >
        {formatSentence(detail)} {note}
      </StateMessage>
    </div>
  );
}

export function Forbidden({ title, children }: { title: string; children: ReactNode }) {
  return (
    <StateMessage icon="lock" title={title}>
      {children}
    </StateMessage>
  );
}
