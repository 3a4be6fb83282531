/* Runs a command and sends it Ctrl-C after a second, on Windows:

       interrupt.exe COMMAND

   The exit code is 0 if that of the command is 130. The program needs a console, which it shares with the command. */
#include <stdio.h>
#include <windows.h>

static BOOL WINAPI heed_nothing(DWORD event) {
    (void)event;
    return TRUE;
}

int main(int count, char **arguments) {
    STARTUPINFOA start = {sizeof start};
    PROCESS_INFORMATION child;
    DWORD code = 0;
    if (count != 2 || !SetConsoleCtrlHandler(heed_nothing, TRUE) ||
        !CreateProcessA(NULL, arguments[1], NULL, NULL, TRUE, 0, NULL, NULL, &start, &child)) {
        fputs("error: nothing was run\n", stderr);
        return 2;
    }
    Sleep(1000);
    if (!GenerateConsoleCtrlEvent(CTRL_C_EVENT, 0)) {
        fputs("error: there is no console\n", stderr);
        TerminateProcess(child.hProcess, 2);
    }
    WaitForSingleObject(child.hProcess, INFINITE);
    GetExitCodeProcess(child.hProcess, &code);
    printf("exit code %ld\n", (long)code);
    return code != 130;
}
