import { problemOf } from '../../api/problems.ts';
import { formatSentence } from '../words/figures.ts';
import { Icon } from '../icon/icon.tsx';
import { shortId } from '../controls/copy-button.tsx';

interface RefusedProps {
  error: unknown;
  changed?: string | undefined;
}

export function Refused({ error, changed = 'Nothing was changed.' }: RefusedProps) {
  const { detail, requestId, status } = problemOf(error);
  return (
    <div className="banner bad" role="alert">
      <Icon name="failed" />
      <div>
        {formatSentence(detail)}{' '}
        <span className="t2">
          {status === 0 ? 'It is unknown whether the request arrived. A retry changes nothing twice.' : changed}
          {requestId !== '' && <> Request {shortId(requestId)}.</>}
        </span>
      </div>
    </div>
  );
}
