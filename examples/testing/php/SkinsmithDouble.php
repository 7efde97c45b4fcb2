<?php

/**
 * A double of the service for the tests of a class, which fails if a client was impolite. The environment variable
 * SKINSMITH names the program; "npx skinsmith" unless set.
 */
trait SkinsmithDouble
{
    protected static string $url;
    protected static string $key;
    private static $process;
    private static array $pipes = [];

    public static function setUpBeforeClass(): void
    {
        $program = explode(' ', getenv('SKINSMITH') ?: 'npx skinsmith');
        // With --parent-stdin it also ends when this process is killed.
        $command = [...$program, 'serve', '--double', '--polite', '--parent-stdin', '--scenario', 'calm'];
        self::$process = proc_open($command, [['pipe', 'r'], ['pipe', 'w'], STDERR], self::$pipes);
        $line = fgets(self::$pipes[1]);
        if ($line === false) {
            throw new RuntimeException('The double did not start.');
        }
        ['url' => self::$url, 'key' => self::$key] = json_decode($line, true);
    }

    public static function tearDownAfterClass(): void
    {
        $post = ['method' => 'POST', 'header' => 'Content-Type: application/json', 'content' => '{}'];
        $context = stream_context_create(['http' => $post]);
        $answer = file_get_contents(self::$url . '/_double/stop', false, $context);
        fclose(self::$pipes[0]);
        proc_close(self::$process);
        $message = "A client did not meet the double's expectations: $answer";
        self::assertSame([], json_decode($answer, true)['violations'], $message);
    }
}
