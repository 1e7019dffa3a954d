import { SkeletonBar, SkeletonRows, usePatience } from '../../parts/standing/skeleton.tsx';
import styles from './report.module.css';

/** The page at its true height before its numbers are there. */
export function ReportSkeleton() {
  const isShown = usePatience();
  return (
    <div aria-busy="true" aria-label="The report is being read" role="status" className={styles['skeleton']}>
      <h1 className="vh">Report</h1>
      <div className={styles['skeletonHead']}>{isShown && <SkeletonBar width={260} />}</div>
      <section className={`panel ${styles['skeletonSum'] ?? ''}`}>{isShown && <SkeletonBar width="60%" />}</section>
      <section className={`panel ${styles['cut'] ?? ''}`}>
        <table>
          <tbody>
            <SkeletonRows rows={8} columns={[110, 60, 260, 60, 40, 40, 60]} />
          </tbody>
        </table>
      </section>
    </div>
  );
}
