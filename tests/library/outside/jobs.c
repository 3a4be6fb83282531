/* Uses jobs as no example does. Returns the line of the first check that fails, or 0. */
#include "../../../c/nqueens.h"
#include <string.h>

#define CHECK(holds) \
    if (!(holds)) return __LINE__

int main(void)
{
    nqueens_result result;
    nqueens_job *job = nqueens_new(4);
    CHECK(nqueens_run(job, &result) == NQUEENS_COUNTED && strcmp(result.total, "2") == 0);
    CHECK(nqueens_share(job) == 1);
    CHECK(nqueens_run(job, NULL) == NQUEENS_FAILED);

    /* A count that fails at once has done nothing. */
    nqueens_set_engine(job, "fast");
    CHECK(nqueens_run(job, &result) == NQUEENS_FAILED && nqueens_share(job) == 0);

    /* A job that is cancelled counts no more, not even a board that takes no time. */
    nqueens_set_engine(job, NULL);
    nqueens_cancel(job);
    CHECK(nqueens_run(job, &result) == NQUEENS_CANCELLED && result.total[0] == 0 && nqueens_share(job) == 0);
    nqueens_free(job);

    nqueens_set_threads(NULL, 1);
    nqueens_set_engine(NULL, "auto");
    nqueens_set_kernel(NULL, "auto");
    nqueens_cancel(NULL);
    CHECK(nqueens_share(NULL) == 0);
    CHECK(nqueens_run(NULL, &result) == NQUEENS_FAILED && strstr(result.error, "NULL") != NULL);
    nqueens_free(NULL);
    return 0;
}
