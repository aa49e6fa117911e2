<?php
// Serves the route with the parts of Laravel that a request passes.

use Illuminate\Config\Repository;
use Illuminate\Events\EventServiceProvider;
use Illuminate\Foundation\Application;
use Illuminate\Http\Request;
use Illuminate\Routing\RoutingServiceProvider;
use Illuminate\Support\Facades\Facade;

error_reporting(E_ALL & ~E_DEPRECATED);
require 'Illuminate/autoload.php';
require __DIR__ . '/verify.php';

function store(object $event): void
{
    file_put_contents('stored', json_encode($event) . "\n", FILE_APPEND);
}

$app = new Application(__DIR__);
$app->instance('config', new Repository(['view' => ['paths' => []], 'services' => ['shipping' => ['webhook_secret' => getenv('WEBHOOK_SECRET')]]]));
Facade::setFacadeApplication($app);
$app->register(Illuminate\Filesystem\FilesystemServiceProvider::class);
$app->register(Illuminate\View\ViewServiceProvider::class);
require __DIR__ . '/routes/api.php';
$request = Request::capture();
$app->instance('request', $request);
try {
    $response = $app['router']->dispatch($request);
} catch (Symfony\Component\HttpKernel\Exception\HttpException $error) {
    $response = response($error->getMessage(), $error->getStatusCode());
}
$response->send();
