import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { createPortal } from 'react-dom';
import { listAudienceRejectsOptions } from '#client/@tanstack/react-query.gen.ts';
import type { Audience } from '#client/types.gen.ts';
import { Button } from '../controls/button.tsx';
import { Dialog } from '../overlays/dialog.tsx';
import { SkeletonRows } from '../standing/skeleton.tsx';
import { Failed } from '../standing/states.tsx';
import { countOf, formatCount } from '../words/numbers.ts';
import { plainText } from '../words/plain-text.ts';
import { ruleWords } from './reject-words.ts';

/** Rejected lines that the API keeps of a list. */
export const keptRejects = 1000;

type RejectedList = Pick<Audience, 'id' | 'name' | 'rejected'>;

/** `224 bad lines`: opens all of them that are kept, wherever the list is used. */
export function RejectedLinesButton({ list, children }: { list: RejectedList; children?: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" className="link" onClick={() => setOpen(true)}>
        {children ?? countOf(list.rejected, 'bad line')}
      </button>
      {/* Out of the line that it is opened from, whose colour and alignment it would inherit. */}
      {isOpen && createPortal(<RejectedLinesDialog list={list} onClose={() => setOpen(false)} />, document.body)}
    </>
  );
}

function RejectedLinesDialog({ list, onClose }: { list: RejectedList; onClose: () => void }) {
  const { id, name, rejected } = list;
  const rejects = useQuery(listAudienceRejectsOptions({ path: { id }, query: { limit: keptRejects } }));
  return (
    <Dialog
      isWide
      title="Rejected lines"
      lead={`${name}: ${countOf(rejected, 'line')}${rejected > keptRejects ? `, of which the first ${formatCount(keptRejects)} are kept` : ''}`}
      onClose={onClose}
      actions={
        <Button data-autofocus onClick={onClose}>
          Close
        </Button>
      }
    >
      {rejects.error !== null && !rejects.data ? (
        <Failed title="The lines could not be read" error={rejects.error} onRetry={() => void rejects.refetch()} />
      ) : (
        <table className="table-fixed">
          <caption className="sr-only">Rejected lines, in the order of the file</caption>
          <thead>
            <tr>
              <th scope="col" className="w-19">
                Line
              </th>
              <th scope="col">Why</th>
              <th scope="col">Row</th>
            </tr>
          </thead>
          <tbody className="sm">
            {rejects.data?.items.map(({ line, rule, value }) => (
              <tr key={line}>
                <td className="t3">{formatCount(line)}</td>
                <td>{ruleWords[rule]}</td>
                <td className="t2 mono truncate" title={value}>
                  {plainText(value)}
                </td>
              </tr>
            )) ?? <SkeletonRows rows={3} columns={[30, 130, 160]} />}
          </tbody>
        </table>
      )}
    </Dialog>
  );
}
