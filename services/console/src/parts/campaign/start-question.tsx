import type { ReactNode } from 'react';
import { problemOf } from '../../api/problems.ts';
import { Button } from '../controls/button.tsx';
import { Icon } from '../icon/icon.tsx';
import { Dialog } from '../overlays/dialog.tsx';
import { Effects, type Effect } from '../overlays/effects.tsx';
import { formatSentence } from '../words/figures.ts';
import { changeableLater } from './start-effects.ts';
import type { ApprovalNeed } from './approval-need.ts';

interface StartQuestionProps {
  verb: 'Start' | 'Schedule';
  name: string;
  lead: string;
  effects: Effect[];
  warnings: readonly string[];
  ask: ApprovalNeed;
  isWorking: boolean;
  error: Error | null;
  onClose: () => void;
  onStart: () => void;
  onSubmit: () => void;
  /** Fields of the start. */
  children?: ReactNode;
  /** False if a field is wrong. */
  isReady?: boolean;
}

/** Confirmation of a start with all its effects. If the policy requires it, submits for approval instead. */
export function StartQuestion(props: StartQuestionProps) {
  const { verb, name, lead, effects, warnings, isWorking, error, onClose, onStart, onSubmit } = props;
  const { children, isReady = true } = props;
  const isRefused = error !== null && problemOf(error).code === 'approval-needed';
  const ask = isRefused ? 'yes' : props.ask;
  return (
    <Dialog
      title={`${verb} “${name}”?`}
      lead={lead}
      isWide
      onClose={onClose}
      actions={
        <span className="ml-auto row flex-wrap justify-end phone:w-full">
          <Button onClick={onClose} data-autofocus>
            Not yet
          </Button>
          {ask !== 'no' && (
            <Button kind={ask === 'yes' ? 'ink' : 'plain'} disabled={isWorking} onClick={onSubmit}>
              Submit for approval
            </Button>
          )}
          {ask !== 'yes' && (
            <Button kind="ink" disabled={isWorking || !isReady} onClick={onStart}>
              {isWorking ? `${verb}ing…`.replace('eing', 'ing') : `${verb} it`}
            </Button>
          )}
        </span>
      }
    >
      <Effects effects={effects} />
      {children}
      {warnings.map((warning) => (
        <p key={warning} className="c-warn sm row gap-1.5 items-start">
          <Icon name="warn" size={14} />
          <span>{warning}</span>
        </p>
      ))}
      {ask === 'yes' && !isRefused && (
        <p className="sm">
          The approval policy requires approval by other people. You can start the campaign once they have approved it.
        </p>
      )}
      {ask !== 'yes' && <p className="t3 sm">{changeableLater}</p>}
      {error !== null && <Refused error={error} />}
    </Dialog>
  );
}

function Refused({ error }: { error: Error }) {
  const { detail, errors } = problemOf(error);
  return (
    <p className="c-bad sm" role="alert">
      {[detail, ...errors.map((each) => each.detail)].map(formatSentence).join(' ')}
    </p>
  );
}
