<?php

require_once __DIR__ . '/SkinsmithDouble.php';

final class LimitsTest extends PHPUnit\Framework\TestCase
{
    use SkinsmithDouble;

    public function testClientWaitsAfterARateLimit(): void
    {
        [$status, $headers] = $this->submit('limit-429');
        $this->assertSame(429, $status);
        sleep((int) preg_replace('/\D/', '', implode(preg_grep('/^Retry-After:/i', $headers))));
        $this->assertSame(202, $this->submit('limit-429')[0]);
    }

    private function submit(string $name): array
    {
        $picture = base64_encode(file_get_contents(getenv('PICTURE') ?: 'smith.png'));
        $post = [
            'method' => 'POST',
            'header' => ['Authorization: Bearer ' . self::$key, 'Content-Type: application/json'],
            'content' => json_encode(['url' => "data:image/png;base64,$picture", 'name' => $name]),
            'ignore_errors' => true,
        ];
        file_get_contents(self::$url . '/v2/queue', false, stream_context_create(['http' => $post]));
        return [(int) explode(' ', $http_response_header[0])[1], $http_response_header];
    }
}
