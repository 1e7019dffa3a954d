import type { UploadSuppressionsResponse } from '#client/types.gen.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { countOf } from '../../parts/words/numbers.ts';
import { describeLastCall, describeUpload } from './list-words.ts';
import { UploadFields } from './upload-fields.tsx';
import { useListUpload } from './use-list-upload.ts';

export function UploadDialog({ actionType, onClose }: { actionType: string; onClose: () => void }) {
  const listUpload = useListUpload(actionType);
  const { form, upload, send, abort } = listUpload;
  const cancel = () => {
    abort();
    onClose();
  };
  return (
    <Dialog
      title="Upload a suppression list"
      lead="CSV, plain or .gz, with a column userId or one id per line. Duplicate rows are allowed."
      onClose={cancel}
      actions={
        upload.data ? (
          <Button kind="ink" onClick={onClose}>
            Done
          </Button>
        ) : (
          <>
            <Button onClick={cancel}>Cancel</Button>
            <Button kind="ink" icon="up" disabled={upload.isPending || form.file === null} onClick={() => send(null)}>
              {form.mode === 'replace' ? 'Replace the list' : 'Upload'}
            </Button>
          </>
        )
      }
    >
      {upload.data ? <UploadResult upload={upload.data} /> : <UploadFields listUpload={listUpload} />}
    </Dialog>
  );
}

function UploadResult({ upload }: { upload: UploadSuppressionsResponse }) {
  return (
    <p role="status">
      <b>{upload.state === 'done' ? 'Uploaded.' : 'The upload failed.'}</b>{' '}
      <span className="t2">
        {describeUpload(upload)}.{upload.rejected > 0 && ` ${countOf(upload.rejected, 'rejected row')}, see below.`}
        {upload.people > 0 && ` ${describeLastCall(upload.lastCallWithinMs)}`}
        {upload.reading?.warnings.map(({ detail }) => ` Warning: ${detail}.`).join('')}
      </span>
    </p>
  );
}
